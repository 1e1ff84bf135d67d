// docs/recipe.md describes each key like the schema, and its table of sources has a factor, a source and a file for
// each.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { factorsOf } from '../../../core/recipe/factors.ts';
import { recipeSchema } from '../../../core/schemas/recipe.ts';

type Node = z.core.JSONSchema.BaseSchema;
const root = new URL('../../../', import.meta.url);
const page = readFileSync(new URL('docs/recipe.md', root), 'utf8');
const [described = '', cited = ''] = page.split('\n## Sources\n');
const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => /^\| `(reward|filter|curriculum|rollout|optimizer)\./.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
const rows = rowsOf(described);
const sources = rowsOf(cited);

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
  const isNumber = settings.type === 'number' || settings.type === 'integer';
  if (settings.enum) return settings.enum.map((one) => `\`${one}\``).join(', ') + off;
  if (isNumber) return `${open}${from} … ${settings.maximum}${off}`;
  if (settings.type === 'boolean') return `true, false${off}`;
  if (settings.type === 'string') return `a name${off}`;
  if (settings.prefixItems) return `two numbers${off}`;
  if (settings.type === 'array') return `a list of at most ${settings.maxItems}${off}`;
  return settings.properties ? `settings${off}` : `a weight by name${off}`;
}

const defaultOf = (node: Node): string =>
  node.default === undefined ? '' : `\`${JSON.stringify(node.default)}\``;

const keys = keysOf(z.toJSONSchema(recipeSchema) as Node);

const nameIn = ([, cell = '']: readonly string[]): string => cell.replaceAll('`', '');

/** The row of the key itself, else that of the nearest setting around it. */
const sourceOf = (key: string): string[] | undefined =>
  sources
    .filter((row) => `${key}.`.startsWith(`${nameIn(row)}.`) || key.startsWith(`${nameIn(row)}[`))
    .toSorted((left, right) => nameIn(right).length - nameIn(left).length)[0];

describe('the page of the recipe', () => {
  it.each(keys)('describes %s like the schema', (key, node) => {
    const own = rows.filter((row) => nameIn(row) === key);
    expect(own).toHaveLength(1);
    expect(own[0]?.slice(2, 5)).toEqual([rangeOf(node), defaultOf(node), node.description ?? '']);
  });

  it.each(keys)('has the factor, a source and a file of %s', (key) => {
    const [, , factor, source, file = ''] = sourceOf(key) ?? [];
    expect(source).not.toBe('');
    expect(existsSync(new URL(file.replaceAll('`', ''), root)), file).toBe(true);
    expect(factorsOf(`/${key.replace('[]', '/0').replaceAll('.', '/')}`)).toEqual([factor]);
  });

  it('has only keys of the schema', () => {
    const known = keys.map(([key]) => key);
    expect(rows.map(nameIn).filter((key) => !known.includes(key))).toEqual([]);
    const isKnown = (key: string): boolean => known.some((one) => `${one}.`.startsWith(`${key}.`));
    expect(sources.map(nameIn).filter((key) => !isKnown(key))).toEqual([]);
  });
});
