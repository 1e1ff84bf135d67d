// Checks that a definition is one expression over one row. The check is on its parse tree, because a text that closes
// our brackets early would become a query of its own.

const EXPRESSION = 'give one expression over one trajectory';
const NO_TABLE = 'an expression over one trajectory reads no table and holds no SELECT';

/** The query to parse. Expressions are always bound in brackets; the line end closes a trailing comment. */
export const expressionQuery = (sql: string): string => `SELECT (${sql}\n)`;

/** Why the engine's parse of `expressionQuery` is not one expression over one row; null if it is. */
export function expressionFault(parsed: unknown): string | null {
  const { error, error_message: message, statements } = fieldsOf(parsed);
  if (error !== false) return typeof message === 'string' ? message : 'not an expression';
  const [statement, second] = listOf(statements);
  if (statement === undefined || second !== undefined) return `${EXPRESSION}, not several`;
  const node = fieldsOf(fieldsOf(statement)['node']);
  if (node['type'] !== 'SELECT_NODE' || fieldsOf(node['from_table'])['type'] !== 'EMPTY') {
    return NO_TABLE;
  }
  if (listOf(node['select_list']).length !== 1) return `${EXPRESSION}, not several`;
  if (!CLAUSES.every((clause) => isAbsent(node[clause]))) return `${EXPRESSION}, without clauses`;
  if (listOf(fieldsOf(node['cte_map'])['map']).length > 0) return `${EXPRESSION}, without WITH`;
  return faultWithin(node['select_list']);
}

/** Fields of a parsed SELECT that are empty for a single expression. */
const CLAUSES = ['where_clause', 'group_expressions', 'having', 'qualify', 'sample', 'modifiers'];

/** Classes of parsed expressions that read beyond the row or yield more than one value. */
const REFUSED: Readonly<Record<string, string>> = {
  SUBQUERY: NO_TABLE,
  WINDOW: 'an expression sees one trajectory, so it has no OVER',
  STAR: 'an expression names its columns; it has no * and no COLUMNS',
  PARAMETER: 'an expression has no parameters',
};

function faultWithin(node: unknown): string | null {
  if (typeof node !== 'object' || node === null) return null;
  const { class: kind } = fieldsOf(node);
  const refused = typeof kind === 'string' ? REFUSED[kind] : undefined;
  if (refused !== undefined) return refused;
  for (const field of Object.values(node)) {
    const fault = faultWithin(field);
    if (fault !== null) return fault;
  }
  return null;
}

const isAbsent = (field: unknown): boolean =>
  field === null || field === undefined || (Array.isArray(field) && field.length === 0);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  isFields(value) ? value : {};
