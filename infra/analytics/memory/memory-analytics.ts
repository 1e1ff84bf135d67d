// Answers the queries of the activities without an engine, with made-up figures derived from the digests of the tables.
// It is for measuring the cost of orchestration without queries.
import { createHash } from 'node:crypto';
import type { Analytics, QueryRequest, Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import type { Stores } from '../../../activities/ports/store.ts';

/** The made-up number of trajectories of each set, and how many of them are right. */
const SET = { k: 512, right: 300 } as const;
const LABELED = 64;
const TASKS = 64;

/**
 * Recognizes each query by its form. It reads only sealed rows, one JSON object per line, as SyntheticExecutor writes
 * them.
 */
export class MemoryAnalytics implements Analytics {
  readonly #sealed: Stores['sealed'] | null;

  constructor({ sealed }: { readonly sealed: Stores['sealed'] | null }) {
    this.#sealed = sealed;
  }

  async query(request: QueryRequest): Promise<Row[]> {
    if (request.sql.startsWith('SELECT * FROM results')) return this.#readRows(request);
    const known = QUESTIONS.find(([form]) => form.test(request.sql));
    if (known) return known[1](request);
    const start = request.sql.slice(0, 80);
    throw new AnalyticsError('query', `this query has no made-up answer [${start}]: add its form`);
  }

  async close(): Promise<void> {}

  async #readRows({ tables }: QueryRequest): Promise<Row[]> {
    const refs = tables['results']?.refs ?? [];
    const store = this.#sealed;
    if (store === null) throw new AnalyticsError('denied', 'this reader has no sealed root');
    const texts = refs.map(async ({ ref }) => Buffer.from(await store.readBytes(ref)).toString());
    return (await Promise.all(texts)).flatMap((text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Row => JSON.parse(line)),
    );
  }
}

type Answer = (request: QueryRequest) => Row[];

const QUESTIONS: readonly (readonly [form: RegExp, answer: Answer])[] = [
  [/json_serialize_sql\(/, ({ sql }) => [columns(sql, /\) AS (p\d+)/g, () => CONSTANT)]],
  [/^SELECT '[^']*' AS metric,/, metricRows],
  [/\)::BOOLEAN AS "[^"]+"[\s\S]* FROM \(SELECT struct_pack\(/, ruleRow],
  [/^SELECT \* FROM \(SELECT '[^']*' AS detector,/, detectorRows],
  [/ AS "cases",/, markRow],
  [/AS labeled,/, () => [{ k: SET.k, labeled: SET.k, hidden: SET.k, visible: SET.k, rewards: 2 }]],
  [/AS right,/, () => [{ right: SET.right, wrong: SET.k - SET.right }]],
  [/ AS figures\) AS "/, () => [{}]],
  [/^WITH chosen[\s\S]*SELECT (list, value|number,)/, () => []],
  [/^SELECT count\(nullif\(/, () => [{}]],
];

/** The parse of a constant: an expression that names no table and no column. */
const CONSTANT = JSON.stringify({
  error: false,
  statements: [{ node: { type: 'SELECT_NODE', from_table: { type: 'EMPTY' }, select_list: [{}] } }],
});

function metricRows(request: QueryRequest): Row[] {
  const about = aboutOf(request);
  return matches(request.sql, /SELECT '([^']*)' AS metric, '(\w+)' AS outcome/g).map(
    ([, metric = '', outcome = '']) => ({
      metric,
      outcome,
      value: fraction(`${about} ${metric} ${outcome}`),
      n: SET.k,
      sd: 0.2,
      samples: 1,
      examples: [],
    }),
  );
}

/** Exactly one rule fires; which one depends on the values. */
function ruleRow({ sql }: QueryRequest): Row[] {
  const rules = matches(sql, /\)::BOOLEAN AS "([^"]+)"/g).map(([, name = '']) => name);
  const fired = Math.floor(fraction(sql) * rules.length);
  return [Object.fromEntries(rules.map((name, index) => [name, index === fired]))];
}

function detectorRows({ sql }: QueryRequest): Row[] {
  return matches(sql, /SELECT '([^']*)' AS detector/g).flatMap(([, detector = '']) =>
    Array.from({ length: TASKS }, (_, task) => ({
      detector,
      task_id: `task-${task}`,
      mean: 0,
      samples: SET.k / TASKS,
    })),
  );
}

/** No case of cheating, and no detector fires. */
function markRow({ sql }: QueryRequest): Row[] {
  const none = '0'.repeat(LABELED);
  const marks = columns(sql, / AS "(m\d+)"/g, () => none);
  return [{ ...marks, cases: none, honest: '1'.repeat(LABELED) }];
}

const matches = (sql: string, form: RegExp): RegExpMatchArray[] => [...sql.matchAll(form)];

const columns = (sql: string, form: RegExp, cell: () => string): Row =>
  Object.fromEntries(matches(sql, form).map(([, name = '']) => [name, cell()]));

const aboutOf = ({ tables }: QueryRequest): string =>
  Object.values(tables)
    .flatMap(({ refs }) => refs.map(({ ref }) => ref.sha256))
    .join(' ');

/** A number in [0, 1) derived from a text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
