// Paths as agents write them: which words are paths, and one spelling for each.

const KNOWN_NAMES =
  /^(?:Makefile|Dockerfile|Jenkinsfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|Procfile|\.[A-Za-z][\w-]*(?:\.\w+)*)$/;
const ENDING =
  /\.(?:pyi?|pyx|pxd|pth|ipynb|[cm]?[jt]sx?|json5?|jsonl|ya?ml|toml|ini|c(?:fg|onf)|env|txt|md|rst|html?|s?css|less|go|rs|java|kt|scala|groovy|gradle|c|h|cc|cpp|cxx|hpp|cs|rb|php|pl|lua|jl|r|swift|m|sh|bash|zsh|sql|xml|csv|tsv|lock|log|diff|patch|out|in|so|o|a|zip|gz|tgz|tar|bz2|xz|whl|egg|pem|key|db|sqlite3?|vue|svelte|proto|cmake|properties|pkl|npy|npz|pt|bin|dat|tex|pdf|png|jpe?g|svg|bak|orig|rej|pack|idx)$/i;
const LENGTH_MAX = 400;

export const URL = /\b(?:https?|ftp|ssh|git|file):\/\/[^\s'"<>|)\]}\\]+|\bgit@[\w.-]+:[\w./-]+/;

/** Whether a word of a command is a path; a bare word without ending or slash is not taken for one. */
export function looksLikePath(word: string): boolean {
  if (word === '' || word.length > LENGTH_MAX || /[\s(){}<>;|"'`$^]/.test(word)) return false;
  if (word.startsWith('-') || URL.test(word) || /^[\w.-]+@[\w.-]+$/.test(word)) return false;
  if (/^[\d.,:+-]+$/.test(word) || /[=,]/.test(word)) return false;
  if (KNOWN_NAMES.test(word) || ENDING.test(word)) return true;
  return word.includes('/') && !/^(?:s|y|tr|m)\/.*\/\w*$/.test(word) && /[A-Za-z0-9_*]/.test(word);
}

/** Without `.` parts and doubled slashes, `..` resolved where it can be; a relative path is read from `folder`. */
export function normalPath(path: string, folder = ''): string {
  const isAbsolute = /^[/~]/.test(path);
  const whole = isAbsolute || folder === '' ? path : `${folder}/${path}`;
  const parts: string[] = [];
  for (const part of whole.slice(0, 4 * LENGTH_MAX).split('/')) {
    if (part === '' || part === '.') continue;
    const last = parts.at(-1);
    if (part === '..' && last !== undefined && last !== '..' && last !== '~') parts.pop();
    else parts.push(part);
  }
  return `${whole.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}
