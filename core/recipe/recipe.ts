// Plain JSON and JSON Pointers (RFC 6901), which patches, factors and rollbacks use.

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

export const isList = (value: Json | undefined): value is Json[] => Array.isArray(value);
export const isRecord = (value: Json | undefined): value is { [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of a pointer such as `/reward/components/0`. Throws a RangeError if it does not start with a slash. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/'))
    throw new RangeError(`a JSON Pointer must start with '/': '${pointer}'`);
  return pointer
    .slice(1)
    .split('/')
    .map((field) => field.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const formatPointer = (fields: readonly string[]): string =>
  fields.map((field) => `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** True if `path` is `prefix` itself or under it. */
export const isBelow = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/** The position that a field means in a list of `length`, or null; `-` is the position after the last. */
export function listIndex(field: string, length: number): number | null {
  if (field === '-') return length;
  return /^(0|[1-9]\d*)$/.test(field) ? Number(field) : null;
}

/** The value at a pointer, or undefined if there is none. */
export function valueAt(document: Json, pointer: string): Json | undefined {
  let value: Json | undefined = document;
  for (const field of parsePointer(pointer)) {
    if (isList(value)) {
      const index = listIndex(field, value.length);
      value = index === null ? undefined : value[index];
    } else {
      value = isRecord(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    }
  }
  return value;
}

/** Every pointer of a document except the root, containers before their fields. */
export function pointersOf(document: Json, at: readonly string[] = []): string[] {
  const fields = isList(document)
    ? document.map((value, index): [string, Json] => [String(index), value])
    : isRecord(document)
      ? Object.entries(document)
      : [];
  return fields.flatMap(([field, value]) => {
    const own = [...at, field];
    return [formatPointer(own), ...pointersOf(value, own)];
  });
}
