// Fragments inserted into queries: texts of the two kinds of authors of SQL, a researcher with a query and the author
// of an expression that is bound into a query of the program. Made from a seed, equal in each run.
import { hostileStatements, hostileTables, type Targets, valuesOf } from './fragments.ts';

export interface Untrusted {
  readonly name: string;
  readonly sql: string;
}

/** Positions of a table in a query. */
const QUERIES_OF_TABLE: readonly ((table: string) => string)[] = [
  (x) => `SELECT * FROM ${x}`,
  (x) => `FROM ${x}`,
  (x) => `WITH c AS (SELECT * FROM ${x}) SELECT * FROM c`,
  (x) => `WITH c AS MATERIALIZED (FROM ${x}), d AS (FROM c) SELECT count(*) FROM d`,
  (x) => `WITH t AS (FROM ${x}) SELECT * FROM t`,
  (x) =>
    `WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r, (FROM ${x}) WHERE n < 3) FROM r`,
  (x) => `SELECT (SELECT any_value(x) FROM ${x} AS x)`,
  (x) => `SELECT * FROM t WHERE EXISTS (FROM ${x})`,
  (x) => `SELECT * FROM t, LATERAL (SELECT * FROM ${x}) AS u`,
  (x) => `SELECT * FROM t LEFT JOIN ${x} AS u ON TRUE`,
  (x) => `SELECT list_transform([1], lambda i: (SELECT count(*) FROM ${x}))`,
  (x) => `SELECT [i FOR i IN (SELECT list(u) FROM ${x} AS u)]`,
  (x) => `SELECT a FROM t UNION ALL BY NAME SELECT * FROM ${x}`,
  (x) => `SELECT a FROM t GROUP BY a HAVING a > (SELECT count(*) FROM ${x})`,
  (x) => `SELECT a FROM t ORDER BY (SELECT count(*) FROM ${x})`,
  (x) => `SELECT a FROM t LIMIT (SELECT count(*) FROM ${x})`,
  (x) => `SELECT sum(a) OVER (PARTITION BY (SELECT count(*) FROM ${x})) FROM t`,
  (x) => `SELECT a FROM t QUALIFY row_number() OVER () > (SELECT count(*) FROM ${x})`,
  (x) => `VALUES ((SELECT count(*) FROM ${x}))`,
  (x) => `SELECT/**/*/* ; */FROM/**/${x}--`,
  (x) => `SELECT * FROM /* -- */ ${x} -- ; DROP TABLE t`,
  (x) => `select * from ${x.replace(/^[a-z_]+\(/, (name) => name.toUpperCase())}`,
  (x) => `SELECT * FROM ${x.replace(/^([a-z_]+)\(/, '"$1"(')}`,
  (x) => `SELECT * FROM ${x.replace(/^([a-z_]+\()/, 'main.$1')}`,
  (x) => `SELECT * FROM ${x.replace(/^([a-z_]+\()/, 'system.main.$1')}`,
  (x) => `\uFEFFSELECT\u00A0*\u2003FROM\u3000${x}`,
  (x) => `SELECT * FROM ${x.replaceAll("'", '$$')}`,
  (x) => `SELECT * FROM ${x.replaceAll('t', 'T').replaceAll('r', '\u0280')}`,
  (x) => `SELECT * FROM query($$FROM ${x}$$)`,
  (x) => `SELECT COLUMNS(*) FROM (SELECT * FROM (SELECT * FROM (SELECT * FROM ${x})))`,
  (x) => `PIVOT ${x} ON a USING count(*)`,
  (x) => `SELECT 1; SELECT * FROM ${x}`,
  (x) => `SELECT * FROM t SEMI JOIN (FROM ${x}) AS u ON TRUE`,
  (x) => `WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings, ${x}`,
];

const QUERIES_OF_VALUE: readonly ((value: string) => string)[] = [
  (x) => `SELECT ${x}`,
  (x) => `SELECT a FROM t WHERE a = ${x}`,
  (x) => `SELECT CASE WHEN TRUE THEN ${x} END AS v`,
  (x) => `SELECT list_transform([1, 2], lambda i: ${x})`,
  (x) => `SELECT max(${x}) FILTER (TRUE) FROM t`,
  (x) => `SELECT {'v': ${x}}.v`,
  (x) => `SELECT TRY(${x})`,
];

const QUERIES_OF_STATEMENT: readonly ((statement: string) => string)[] = [
  (x) => x,
  (x) => `SELECT 1; ${x}`,
  (x) => `${x}; SELECT 1`,
  (x) => `/* SELECT 1 */ ${x}`,
  (x) => `-- SELECT 1\n${x}`,
  (x) => `WITH c AS (${x}) SELECT 1`,
  (x) => `SELECT * FROM (${x})`,
  (x) => `EXPLAIN ${x}`,
  (x) => `PREPARE q AS ${x}`,
  (x) => `SELECT query('${x.replaceAll("'", "''")}')`,
  (x) => `SELECT 1 /* */; /* */ ${x} --`,
  (x) => `;;${x};;`,
  (x) => `SELECT 1\u0000; ${x}`,
];

/** An expression is enclosed in parentheses: `SELECT (… ) AS name FROM (facts)`. */
const EXPRESSIONS_OF_TABLE: readonly ((table: string) => string)[] = [
  (x) => `(SELECT count(*) FROM ${x})`,
  (x) => `1) AS v FROM ${x} WHERE (TRUE`,
  (x) => `1) FROM ${x} --`,
  (x) => `1) FROM ${x} /*`,
  (x) => `1) UNION ALL SELECT (SELECT any_value(u) FROM ${x} AS u`,
  (x) => `1) AS a, (SELECT any_value(u) FROM ${x} AS u), (2`,
  (x) => `len(list_filter([1], lambda i: (SELECT count(*) FROM ${x}) > 0)) > 0`,
  (x) => `1) FROM facts POSITIONAL JOIN ${x} ORDER BY (1`,
  (x) => `1) AS v FROM t) POSITIONAL JOIN ${x}; SELECT v FROM (SELECT (1`,
  (x) => `EXISTS (FROM ${x}) -- ) AS v`,
  (x) => `1)) FROM ${x} AS u(x)) SELECT (1`,
];

const EXPRESSIONS_OF_STATEMENT: readonly ((statement: string) => string)[] = [
  (x) => `1); ${x}; --`,
  (x) => `1); ${x}; SELECT (1`,
  (x) => `1) AS v FROM t; ${x}; SELECT v FROM (SELECT (1`,
  (x) => `1) AS v FROM t) POSITIONAL JOIN range(1); ${x}; SELECT v FROM (SELECT (1`,
  (x) => `(${x})`,
  (x) => `1 /* */) AS v; ${x} /*`,
  (x) => `query('${x.replaceAll("'", "''")}')`,
];

const EXPRESSIONS_OF_VALUE: readonly ((value: string) => string)[] = [
  (x) => x,
  (x) => `coalesce(${x}::VARCHAR, '')`,
  (x) => `CASE WHEN level >= 0 THEN ${x} ELSE NULL END`,
  (x) => `list_transform([1], lambda i: ${x})`,
  (x) => `1) + (${x}`,
  (x) => `level, ${x}`,
];

/** Texts for a researcher's query and for a bound expression; each fragment in `each` of its positions. */
export function untrustedTexts(targets: Targets, each: number, seed: number) {
  const pick = picker(seed);
  const spread = (
    kind: string,
    fragments: readonly string[],
    places: readonly ((fragment: string) => string)[],
    count: number,
  ): Untrusted[] =>
    fragments.flatMap((fragment) =>
      pick(places, count).map((place) => ({ name: `${kind}: ${fragment}`, sql: place(fragment) })),
    );
  const tables = hostileTables(targets);
  const values = valuesOf(targets);
  const statements = hostileStatements(targets);
  return {
    queries: [
      ...spread('table', tables, QUERIES_OF_TABLE, each + 1),
      ...spread('value', values, QUERIES_OF_VALUE, each),
      ...spread('statement', statements, QUERIES_OF_STATEMENT, each),
    ],
    expressions: [
      ...spread('table', tables, EXPRESSIONS_OF_TABLE, each),
      ...spread('value', values, EXPRESSIONS_OF_VALUE, each),
      ...spread('statement', statements, EXPRESSIONS_OF_STATEMENT, each),
    ],
  };
}

/** The first position of each list is always used: it is the plain one. */
function picker(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return <Place>(places: readonly Place[], count: number): Place[] => {
    const left = places.slice(1);
    const taken = places.slice(0, 1);
    while (taken.length < count && left.length > 0)
      taken.push(...left.splice(below(left.length), 1));
    return taken;
  };
}
