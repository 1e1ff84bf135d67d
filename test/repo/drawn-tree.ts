// Compares the tree that the README draws with the folders that there are, two levels deep.

const BLOCK = /```[a-z]*\n((?:[\w.-]+\/.*\n|\s+.*\n)+)```/;

/**
 * Folders as `room` and `room/part`; null where the text draws no tree. A room begins a line; every other name with a
 * slash behind it, down to the next room, is one of its parts.
 */
export function drawnFolders(readme: string): string[] | null {
  const block = BLOCK.exec(readme)?.[1];
  if (block === undefined) return null;
  let room = '';
  return block.split('\n').flatMap((line) => {
    const [, name = '', rest = ''] = /^(?:([\w.-]+)\/)?(.*)$/.exec(line) ?? [];
    if (name !== '') room = name;
    const parts = [...rest.matchAll(/(?<![\w./-])([\w.-]+)\/(?=[\s,;.:()]|$)/g)];
    return [...(name === '' ? [] : [name]), ...parts.map((part) => `${room}/${part[1]}`)];
  });
}

/** Folders that hold tracked files, down to two levels; a folder with a dot in front belongs to a tool. */
export function realFolders(paths: readonly string[]): string[] {
  const folders = paths.flatMap((path) => {
    const parts = path.split('/').slice(0, -1);
    if (parts.some((part) => part.startsWith('.'))) return [];
    return [parts.slice(0, 1), parts.slice(0, 2)].map((some) => some.join('/'));
  });
  return [...new Set(folders)].filter((folder) => folder !== '').toSorted();
}

/** What the README leaves out, and what it draws that is not there. */
export function treeProblems(readme: string, paths: readonly string[]): string[] {
  const drawn = drawnFolders(readme);
  if (drawn === null) return ['the README draws no tree'];
  const real = realFolders(paths);
  return [
    ...real.filter((folder) => !drawn.includes(folder)).map((folder) => `${folder} is not drawn`),
    ...drawn.filter((folder) => !real.includes(folder)).map((folder) => `${folder} is not there`),
  ];
}
