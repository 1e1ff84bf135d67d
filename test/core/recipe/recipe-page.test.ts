// docs/recipe.md has a row a key: what the schema says of it word for word, then its source and the file that does it.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { factorsOf } from '../../../core/recipe/factors.ts';
import { recipeSchema } from '../../../core/schemas/recipe.ts';

type Node = z.core.JSONSchema.BaseSchema;
const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/recipe.md', root), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => /^\| `(reward|filter|curriculum|rollout|optimizer)\./.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));

const isNull = (node: Node): boolean => node.type === 'null';
const membersOf = (node: Node): Node[] => (node.anyOf ?? []) as Node[];
const settingsOf = (node: Node): Node => membersOf(node).find((one) => !isNull(one)) ?? node;
const itemOf = (node: Node): Node | null =>
  typeof node.items === 'object' && !Array.isArray(node.items) ? (node.items as Node) : null;

/** Every setting under its dotted key, containers that can be off before what they hold. */
function keysOf(node: Node, at = ''): [string, Node][] {
  const settings = settingsOf(node);
  const properties = settings.properties ?? itemOf(settings)?.properties;
  const own: [string, Node][] =
    at === '' || (properties && settings === node && !node.items) ? [] : [[at, node]];
  const place = settings.items ? `${at}[]` : at;
  const inner = Object.entries(properties ?? {}) as [string, Node][];
  return [
    ...own,
    ...inner.flatMap(([name, field]) => keysOf(field, place === '' ? name : `${place}.${name}`)),
  ];
}

function rangeOf(node: Node): string {
  const settings = settingsOf(node);
  const off = settings === node ? '' : ' or null';
  const from =
    settings.exclusiveMinimum === undefined ? settings.minimum : settings.exclusiveMinimum;
  const open = settings.exclusiveMinimum === undefined ? '' : '> ';
  const to = settings.maximum ?? '∞';
  const isNumber = settings.type === 'number' || settings.type === 'integer';
  if (settings.enum) return settings.enum.map((one) => `\`${one}\``).join(', ') + off;
  if (isNumber) return `${open}${from} … ${to === Number.MAX_SAFE_INTEGER ? '∞' : to}${off}`;
  if (settings.type === 'boolean') return `true, false${off}`;
  if (settings.type === 'string') return `a name${off}`;
  if (settings.prefixItems) return `two numbers${off}`;
  if (settings.type === 'array') return `a list of at most ${settings.maxItems}${off}`;
  return settings.properties ? `settings${off}` : `a weight by name${off}`;
}

const defaultOf = (node: Node): string =>
  node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``;

const keys = keysOf(z.toJSONSchema(recipeSchema) as Node);

describe('the page of the recipe', () => {
  it.each(keys)('says of %s what the schema does', (key, node) => {
    expect(rows.filter((row) => row[1] === `\`${key}\``)).toHaveLength(1);
    const row = rows.find((one) => one[1] === `\`${key}\``) ?? [];
    expect(row.slice(2, 5)).toEqual([rangeOf(node), defaultOf(node), node.description ?? '']);
  });

  it('names no key that is gone, and of each a source, a file that is there and its factor', () => {
    for (const [, key = '', , , , source, file = '', factor] of rows) {
      const name = key.replaceAll('`', '');
      expect(keys.map(([one]) => one)).toContain(name);
      expect(source, name).not.toBe('');
      expect(existsSync(new URL(file.replaceAll('`', ''), root)), `${name}: ${file}`).toBe(true);
      const path = `/${name.replace('[]', '/0').replaceAll('.', '/')}`;
      expect(factorsOf(path), name).toEqual([factor]);
    }
  });
});
