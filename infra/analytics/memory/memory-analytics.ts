// Answers to the questions of activities without an engine: figures that follow from the digests of what is asked about. For
// measuring what an orchestration costs beside its queries; nothing is learnt from it.
import { createHash } from 'node:crypto';
import type { Analytics, QueryRequest, Row } from '../../../activities/ports/analytics.ts';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import type { Stores } from '../../../activities/ports/store.ts';

/** Trajectories that a set seems to have, and those of them that seem right. */
const SET = { k: 512, right: 300 } as const;
const LABELLED = 64;

/** Knows each query by its form. Sealed rows alone are read: as one JSON object a line, as SyntheticExecutor writes them. */
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
    if (store === null) throw new AnalyticsError('denied', 'there is no way to the sealed root');
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
  [/json_serialize_sql\(/, ({ sql }) => [columns(sql, /\) AS (p\d+)/g, () => WITHOUT_NEEDS)]],
  [/^SELECT '[^']*' AS metric,/, metricRows],
  [/\)::BOOLEAN AS "[^"]+"[\s\S]* FROM \(SELECT struct_pack\(/, ruleRow],
  [/^SELECT '[^']*' AS detector,/, detectorRows],
  [/ AS "cases",/, markRow],
  [
    /AS labelled,/,
    () => [{ k: SET.k, labelled: SET.k, hidden: SET.k, visible: SET.k, rewards: 2 }],
  ],
  [/AS right,/, () => [{ right: SET.right, wrong: SET.k - SET.right }]],
  [/ AS figures\) AS "/, () => [{}]],
  [/^WITH chosen[\s\S]*SELECT (list, value|number,)/, () => []],
  [/^SELECT count\(nullif\(/, () => [{}]],
];

/** A parse that names no table and no column. */
const WITHOUT_NEEDS = JSON.stringify({ error: false, statements: [] });

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

/** One rule fires, another one for other values. */
function ruleRow({ sql }: QueryRequest): Row[] {
  const rules = matches(sql, /\)::BOOLEAN AS "([^"]+)"/g).map(([, name = '']) => name);
  const fired = Math.floor(fraction(sql) * rules.length);
  return [Object.fromEntries(rules.map((name, index) => [name, index === fired]))];
}

function detectorRows({ sql }: QueryRequest): Row[] {
  return matches(sql, /SELECT '([^']*)' AS detector/g).map(([, detector = '']) => ({
    detector,
    mean: 0,
    sd: 0,
    n: SET.k,
    samples: 1,
  }));
}

/** No case of cheating, and no detector fires. */
function markRow({ sql }: QueryRequest): Row[] {
  const none = '0'.repeat(LABELLED);
  const marks = columns(sql, / AS "(m\d+)"/g, () => none);
  return [{ ...marks, cases: none, honest: '1'.repeat(LABELLED) }];
}

const matches = (sql: string, form: RegExp): RegExpMatchArray[] => [...sql.matchAll(form)];

const columns = (sql: string, form: RegExp, cell: () => string): Row =>
  Object.fromEntries(matches(sql, form).map(([, name = '']) => [name, cell()]));

const aboutOf = ({ tables }: QueryRequest): string =>
  Object.values(tables)
    .flatMap(({ refs }) => refs.map(({ ref }) => ref.sha256))
    .join(' ');

/** A number in [0, 1) that a text always gets. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
