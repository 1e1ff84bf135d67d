// Lists the keys that a schema accepts at a path, read from its JSON Schema.
import { z } from 'zod';

type Node = { readonly [key: string]: unknown };

/** Empty for a path that the schema does not have. */
export function keysAt(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let nodes: Node[] = [z.toJSONSchema(schema, { io: 'input' })];
  for (const part of path) nodes = nodes.flatMap(variants).flatMap((node) => child(node, part));
  return [
    ...new Set(nodes.flatMap(variants).flatMap((node) => Object.keys(tree(node['properties'])))),
  ];
}

const tree = (value: unknown): Node =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};

function variants(node: Node): Node[] {
  const choices = [node['anyOf'], node['oneOf'], node['allOf']].filter(Array.isArray).flat();
  return [node, ...choices.map(tree).flatMap(variants)];
}

function child(node: Node, part: string | number): Node[] {
  const below = typeof part === 'number' ? node['items'] : tree(node['properties'])[part];
  return below === undefined ? [] : [tree(below)];
}
