// Plain JSON under JSON Pointers (RFC 6901): what patches, factors and rollbacks are made of.

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };

export const isList = (value: Json | undefined): value is Json[] => Array.isArray(value);
export const isRecord = (value: Json | undefined): value is { [field: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `/reward/components/0` → its fields. Throws RangeError for a pointer without a leading slash. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/'))
    throw new RangeError(`a JSON Pointer starts with '/', not '${pointer}'`);
  return pointer
    .slice(1)
    .split('/')
    .map((field) => field.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export const formatPointer = (fields: readonly string[]): string =>
  fields.map((field) => `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Whether `path` is `prefix` itself or lies below it. */
export const isBelow = (path: string, prefix: string): boolean =>
  path === prefix || path.startsWith(`${prefix}/`);

/** The position a field names in a list of `length`, or null; `-` is the one after the last. */
export function listIndex(field: string, length: number): number | null {
  if (field === '-') return length;
  return /^(0|[1-9]\d*)$/.test(field) ? Number(field) : null;
}

/** The value at a pointer, or undefined where there is none. */
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

/** Every pointer of a document, containers before their fields, the root left out. */
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
