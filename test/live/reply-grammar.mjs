// What a small model may write: one call of one tool, in the form of that tool's schema. The grammar knows no patterns
// and no bounds of numbers, so what it lets pass can still be nonsense.

/** @typedef {{[key: string]: unknown}} Schema */
/** @typedef {{name: string, description: string, parameters: Schema}} Tool */

/** Long texts and lists of a small model repeat themselves. */
const TEXT_MAX = 48;
const ITEMS_MAX = 1;
const DEPTH_MAX = 8;
const SCALARS = [{ type: 'number' }, { type: 'string', maxLength: TEXT_MAX }, { type: 'boolean' }];

/** @param {readonly Tool[]} tools @returns {Schema} */
export const callSchema = (tools) => ({
  oneOf: tools.map(({ name, parameters }) => ({
    type: 'object',
    properties: { tool: { const: name }, input: reduced(parameters, parameters, 0) },
  })),
});

/**
 * The parts of JSON Schema that the grammar of node-llama-cpp has.
 * @param {unknown} schema @param {Schema} root @param {number} depth @returns {Schema}
 */
function reduced(schema, root, depth) {
  if (!isRecord(schema) || depth > DEPTH_MAX) return { oneOf: SCALARS };
  const inner = (/** @type {unknown} */ part) => reduced(part, root, depth + 1);
  const { $ref, const: value, enum: values, type } = schema;
  if (typeof $ref === 'string') return inner(pointed(root, $ref));
  if (value !== undefined) return { const: value };
  if (Array.isArray(values)) return { enum: values };
  const members = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(members)) return { oneOf: members.map(inner) };
  if (type === 'object') {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const entries = Object.entries(properties).map(([name, part]) => [name, inner(part)]);
    return { type, properties: Object.fromEntries(entries) };
  }
  if (type === 'array') {
    const { prefixItems, items } = schema;
    if (Array.isArray(prefixItems)) {
      const parts = prefixItems.map(inner);
      return { type, prefixItems: parts, minItems: parts.length, maxItems: parts.length };
    }
    const most = Math.min(ITEMS_MAX, Number(schema['maxItems'] ?? ITEMS_MAX));
    const least = Math.min(most, Number(schema['minItems'] ?? 0));
    return { type, items: inner(items), minItems: least, maxItems: most };
  }
  if (type === 'string') return { type, maxLength: TEXT_MAX };
  return type === undefined ? { oneOf: SCALARS } : { type };
}

/** @param {Schema} root @param {string} ref */
function pointed(root, ref) {
  /** @type {unknown} */
  let at = root;
  for (const name of ref.split('/').slice(1)) at = isRecord(at) ? at[name] : undefined;
  return at;
}

/** @param {unknown} value @returns {value is Schema} */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
