// What a schema found wrong with a value, with the value and the limit.
import type { z } from 'zod';

/** `input` is the whole value that was parsed; the issue's path leads to the part that is wrong. */
export function issueText(issue: z.core.$ZodIssue, input: unknown): string {
  const value = valueAt(input, issue.path);
  switch (issue.code) {
    case 'too_big': {
      const most = `${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
      return `${sizeOf(value)} is too ${kindOf(value)[0]}: ${most}`;
    }
    case 'too_small': {
      const least = `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
      return `${sizeOf(value)} is too ${kindOf(value)[1]}: ${least}`;
    }
    case 'invalid_type':
      return value === undefined
        ? 'this key is missing'
        : `${textOf(value)} is of another type: expected ${issue.expected}`;
    case 'invalid_value':
      return `${textOf(value)} is not known: expected ${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return `${textOf(value)} is not allowed: ${issue.message}`;
    case 'custom':
    case 'unrecognized_keys':
      return issue.message;
    default:
      return `${textOf(value)} is not allowed: ${issue.message}`;
  }
}

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([name]) => name === String(key))?.[1]
        : undefined,
    input,
  );

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  return Array.isArray(value) ? `a list of ${value.length} entries` : textOf(value);
}

/** What is wrong with too much of it, and with too little. */
const kindOf = (value: unknown): readonly [string, string] =>
  typeof value === 'number' ? ['large', 'small'] : ['long', 'short'];

const TEXT_MAX = 80;

/** A short text for any value. */
function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX)}…` : value);
  }
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'a map' : String(value);
}
