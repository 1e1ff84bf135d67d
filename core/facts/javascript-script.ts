// What an inline Node script does to the world outside, by the names of the few calls that reach it.
import { type Act, act, type Script } from './call.ts';
import { normalPath } from './paths.ts';

const CALL =
  /\b(?<name>execSync|exec|spawnSync|spawn|execFileSync|execFile|fetch|https?\.get|https?\.request|axios(?:\.\w+)?|readFileSync|readFile|writeFileSync|writeFile|appendFileSync|appendFile|unlinkSync|rmSync|renameSync|copyFileSync)\s*\(\s*(?<quote>['"`])(?<first>(?:[^\\]|\\.){0,2000}?)\k<quote>(?:\s*,\s*\[(?<list>[^\]]{0,2000})\])?/g;
const TEXTS = /(?<quote>['"`])(?<text>.*?)\k<quote>/g;

/** `start` opens what the script runs as a command of its own. */
export function actsOfJavaScript(
  text: string,
  folder: string,
  start: (script: Script) => Act[],
): Act[] {
  return [...text.matchAll(CALL)].flatMap(({ groups = {} }) => {
    const { name = '', first = '', list } = groups;
    if (/^(?:exec|spawn)/.test(name)) {
      const more = [...(list ?? '').matchAll(TEXTS)].map((one) => one.groups?.['text'] ?? '');
      return start({ language: 'shell', text: [first, ...more].join(' ') });
    }
    if (/^(?:fetch|http|axios)/.test(name)) return [act('network', name, { url: first })];
    const wrote = !name.startsWith('read');
    const paths = [normalPath(first, folder)];
    return [act(wrote ? 'edit' : 'read', name, { paths, wrote })];
  });
}
