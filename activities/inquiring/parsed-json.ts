// JSON as a language model wrote it.
import { jsonOf } from '../../core/json-of.ts';

/** Schemas recurse into JSON, and a reply of some kilobytes can nest deeper than the stack. */
export const DEPTH_MAX = 32;

/** Undefined for what is no JSON or nests too deep. */
export function parsedJson(text: string): unknown {
  const value = jsonOf(text);
  return isDeeper(value, DEPTH_MAX) ? undefined : value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}
