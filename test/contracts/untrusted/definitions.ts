// Definitions of features that a worker and a trainer must judge alike, each with the judgment.

export interface HostileDefinition {
  readonly name: string;
  readonly sql: string;
  /** `value` = it has a value, be it NULL or no number; `limit` = it never ends by itself. */
  readonly judgment: 'refused' | 'limit' | 'value';
}

/** More than one value for a row, or one value for many. */
const NOT_ONE_VALUE = {
  'a list as rows': 'unnest(answers)',
  'a list as rows by its other name': 'UNLIST(answers)',
  'a list as rows within a sum': 'level + unnest([1, 2, 3])',
  'a list as rows within a CASE': 'CASE WHEN level > 0 THEN unnest([1, 2]) ELSE 0 END',
  'a list as rows within a struct': 'len(struct_pack(a := unnest([1, 2]))::VARCHAR)',
  'a list as a subscript': '[1, 2][unnest([1, 2])]',
  'as many rows as before': 'unnest(CASE WHEN level > 1 THEN [1] ELSE [2] END)',
  subscripts: 'generate_subscripts([1, 2], 1)',
  'the parts of a text': `regexp_split_to_table('1 2', ' ')::INTEGER`,
  'the keys of JSON': `json_each('[1, 2]')`,
  'a count': 'count(*)',
  'a sum': 'sum(level)',
  'a first value': 'first(level)',
  'a list of all': 'len(list(level))',
  'JSON of all': 'len(json_group_array(level))',
  'a weighted average': 'wavg(level, 1)',
  'a geometric mean': 'geomean(level)',
  'a row number': 'row_number() OVER ()',
  'the row before': 'lag(level) OVER (ORDER BY level)',
  'a sum so far': 'sum(level) OVER (ROWS UNBOUNDED PRECEDING)',
  'a group': 'grouping(level)',
  'every column': '*',
  'columns by name': `COLUMNS('level')`,
  'two columns': 'level, level',
  'two columns in brackets': '1), (2',
} as const;

/** Beyond the row: other tables, other statements, and what differs from run to run. */
const BEYOND_THE_ROW = {
  'a subquery': '(SELECT max(level) FROM facts)',
  'a subquery without a table': '(SELECT 1)',
  'another table': '(SELECT max(oracle_score) FROM labels)',
  'an EXISTS': 'EXISTS (SELECT 1)',
  'an IN of a query': 'level IN (SELECT 1)',
  'a list of a query': 'len(ARRAY(SELECT 1))',
  'a recursive query':
    '(WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r)',
  'a FROM': '1) FROM facts WHERE (TRUE',
  'a UNION': '1) UNION ALL SELECT (2',
  'an ORDER BY': '1) ORDER BY (1',
  'a WITH': '1) AS v FROM (WITH c AS (SELECT 1) SELECT * FROM c',
  'a comment that hides the end': '1 /*',
  'a comment that hides the rest': '1) --',
  'two statements': '1; SELECT 2',
  'a statement after brackets': '1); DROP TABLE facts; SELECT (1',
  'a COPY': `1); COPY (SELECT 1) TO '/tmp/x.csv'; SELECT (1`,
  'an ATTACH': `1); ATTACH '/tmp/x.db'; SELECT (1`,
  'an INSTALL': '1); INSTALL httpfs; SELECT (1',
  'a PRAGMA': '1); PRAGMA threads = 8; SELECT (1',
  'a SET': `1); SET memory_limit = '1TB'; SELECT (1`,
  'a macro': '1); CREATE MACRO f(a) AS a; SELECT (f(1)',
  'a file': `len(read_text('/etc/passwd'))`,
  'a table of a file': `(SELECT count(*) FROM read_csv('/etc/passwd'))`,
  'an environment variable': `len(getenv('HOME'))`,
  'a draw': 'random()',
  'a draw by another name': `length(uuid())`,
  'a seed': 'setseed(0.5)',
  'the clock': 'epoch(now())',
  'the clock without brackets': 'epoch(current_timestamp)',
  'the day': 'year(today())',
  'an age': `len(age(TIMESTAMP '2020-01-01')::VARCHAR)`,
  'a user': 'len(current_user)',
  'a setting': `len(current_setting('memory_limit'))`,
  'a version': 'len(version())',
  'a variable': `getvariable('x')`,
  'a sequence': `nextval('s')`,
  'a pause': 'sleep_ms(1000)',
  'another pause': 'pg_sleep(1)',
  'an error': `error('stop')`,
  'a type of another system': 'pg_typeof(level)',
  'an internal function': '__internal_compress_integral_utinyint(level, 1)',
  'a function of a schema': 'main.random()',
  'a function of a column': 'level.random()',
  'a query as text': `json_execute_serialized_sql(json_serialize_sql('SELECT 1'))`,
  'a position': '#1',
  'a parameter': '$1',
  'a named parameter': '$x',
  'a default': 'DEFAULT',
  'an id': 'len(trajectory_id)',
  'a reward': 'reward',
  'a row number of the engine': 'rowid',
  'a column that does not exist': 'oracle_score',
  'a field that does not exist': 'visible.oracle',
  'a type that does not exist': 'level::MONEY_OF_MARS',
  nothing: '',
  'a comment alone': '-- 1',
  'brackets that never close': '('.repeat(200),
  'a text without end': `'x`,
  'a number that no type holds': `'${'9'.repeat(60)}'::HUGEINT`,
  'a cast that fails': `'many'::INTEGER`,
  'a cast that fails in some rows': `CASE WHEN level > 0 THEN 'many' ELSE '1' END::INTEGER`,
  'a date that does not exist': `year(DATE '2023-02-30')`,
  'an integer beyond its type': '9223372036854775807 + level',
  'a nested sum': Array.from({ length: 600 }, () => '1').join('+'),
  'nested lists': `${'['.repeat(400)}1${']'.repeat(400)}`,
  'a long text': `len('${'x'.repeat(20_000)}')`,
} as const;

const EXHAUSTING = {
  'a text of gigabytes': `len(repeat('x', 4000000000))`,
  'texts of gigabytes': `len(repeat(repeat('x', 60000), 60000))`,
  'a wide format': `len(format('{:2000000000}', level))`,
  'a list of a billion': 'len(range(1000000000))',
  'lists in lists in lists':
    'len(list_transform(range(10000), lambda i: list_transform(range(10000), lambda j: list_transform(range(10000), lambda k: i * j * k + level))))',
  'lists that double': `len(list_reduce(list_transform(range(200000), lambda i: [i]), lambda a, b: a || a || b))`,
  'a distance of long texts': `levenshtein(repeat('ab', 500000), repeat('ba', 500000) || level)`,
  'another distance': `damerau_levenshtein(repeat('ab', 300000), repeat('ba', 300000) || level)`,
  'a sum of a billion products':
    'list_sum(list_transform(range(100000), lambda i: list_sum(list_transform(range(100000), lambda j: (i * j + level) % 7))))',
} as const;

const STRANGE_VALUES = {
  'a division by zero': 'level / 0',
  'no number': `'nan'::DOUBLE`,
  infinity: `-'inf'::DOUBLE`,
  'a NULL': 'NULL',
  'a NULL in some rows': 'nullif(level, level)',
  'a large number': '1e308 * level',
  'a remainder by zero': 'level % 0',
  'brackets that close each other': '1) + (2',
  'a comment at the end': 'level -- of the task',
  'a catastrophe of other regular expressions': `regexp_matches(repeat('a', 5000), '(a*)*b')::INTEGER`,
  'an error that is caught': `try_cast('many' AS INTEGER)`,
  'a lambda': 'list_sum(list_transform([1, 2], lambda x: x + level))',
  'a comprehension': 'list_sum([x * 2 for x in [1, 2] if x > 1])',
} as const;

const judged = (
  judgment: HostileDefinition['judgment'],
  texts: Readonly<Record<string, string>>,
): HostileDefinition[] => Object.entries(texts).map(([name, sql]) => ({ name, sql, judgment }));

export const HOSTILE_DEFINITIONS: readonly HostileDefinition[] = [
  ...judged('refused', NOT_ONE_VALUE),
  ...judged('refused', BEYOND_THE_ROW),
  ...judged('limit', EXHAUSTING),
  ...judged('value', STRANGE_VALUES),
];
