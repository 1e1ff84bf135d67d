// The address of a root of a store: file:///folder or s3://bucket/prefix. It names its folder literally: steps such as
// `..` and encodings of them would put a root somewhere else than its text shows.

export const STORE_ROOT_FORM = 'file:///absolute/path or s3://bucket/prefix';

/** Why the text cannot be the address of a root; null if it can. */
export function storeRootFault(text: string): string | null {
  const [, path] = /^(?:file:\/\/|s3:\/\/[a-z0-9][a-z0-9._-]{1,62})((?:\/.*)?)$/s.exec(text) ?? [];
  if (path === undefined) return `write ${STORE_ROOT_FORM}`;
  if (text.startsWith('file:') && path.replaceAll('/', '') === '') {
    return `write ${STORE_ROOT_FORM}`;
  }
  if (/[\p{Cc}\\?#]/u.test(path)) {
    return 'no control character, backslash, ? or # (write %3F or %23)';
  }
  const parts = path.split('/').map(decoded);
  const names = parts.filter((part) => part !== '');
  // Node tries without end to make a folder there.
  if (text.startsWith('file:') && names[0] === 'proc') return 'no folder can be made in /proc';
  const wrong = parts.find((part) => part === null || part === '.' || part === '..');
  if (wrong === undefined) return null;
  return wrong === null
    ? 'write each % that belongs to a name as %25'
    : `"${wrong}" is not allowed in it: write the path without it`;
}

/** Null for what is no encoding of a name. */
function decoded(part: string): string | null {
  try {
    const name = decodeURIComponent(part);
    return /[/\p{Cc}]/u.test(name) ? null : name;
  } catch {
    return null;
  }
}

/** Whether one root is the other or in it. */
export function haveCommonFiles(one: string, other: string): boolean {
  const [first = '', second = ''] = [one, other].map(plainPath).toSorted();
  return second.startsWith(first);
}

const plainPath = (root: string): string =>
  root
    .split('/')
    .filter((part) => part !== '')
    .map((part) => `${decoded(part) ?? part}/`)
    .join('');
