// What benches over seeds read of a command line, and how they write it down again.

/** `1-3` and `1,2,3` alike. */
export function seedsOf(text: string): number[] {
  return text.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

/** As a shell would take it. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text}'`;
}
