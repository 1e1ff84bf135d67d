// The tools that ask the archive, with the real query engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FACTOR_NAMES } from '../../../core/recipe/factors.ts';
import { idsOf, MINED_HALF, openHalvedArchive, OTHER_HALF } from './archive-bench.ts';
import { type Call, called } from './called.ts';
import { REWARD } from './inquiry-bench.ts';

let archive: Awaited<ReturnType<typeof openHalvedArchive>>;
beforeAll(async () => {
  archive = await openHalvedArchive();
});
afterAll(async () => archive.close());

const ask = async (tool: string, input: object, researcher?: object) => {
  const { answers } = await called([[[tool, input]]], researcher, archive);
  const [answer] = answers;
  if (answer === undefined) throw new Error('no answer');
  const found: Record<string, unknown> = answer.isFault ? {} : JSON.parse(answer.text);
  return { ...answer, found };
};
const query = async (sql: string, researcher?: object) => ask('query', { sql }, researcher);

describe('a query', () => {
  test('reads facts, features, rewards and labels of the mining half', async () => {
    const { found, foreign, rests } = await query(
      `SELECT honest_success, count(*)::INTEGER AS n, avg(strict_pass::INTEGER) AS strict,
        avg(reward) AS reward
      FROM t JOIN labels USING (trajectory_id) GROUP BY 1 ORDER BY 1`,
    );
    const n = idsOf(true).length;
    expect(found).toMatchObject({
      rows: [
        { honest_success: false, n: (2 * n) / 3, reward: 0.5 },
        { honest_success: true, n: n / 3, strict: 1, reward: 1 },
      ],
    });
    expect(foreign).toBe(true);
    expect(rests).toContain(archive.rollouts.diag.sha256);
  });

  test.each([
    'SELECT * FROM t WHERE artifact::INTEGER > 0',
    "SELECT * FROM t WHERE CASE WHEN artifact LIKE '%OTHER%' THEN error(artifact) ELSE FALSE END",
    'SELECT * FROM t ORDER BY try_cast(prompt AS INTEGER), prompt DESC',
    'SELECT * FROM g2_diag_rows',
    'SELECT * FROM labels_rows',
    'SELECT * FROM "g2_diag_rows" AS t',
    'WITH t AS (SELECT * FROM g2_diag_rows) SELECT * FROM t',
    'SELECT (SELECT max(artifact) FROM g2_diag_rows)',
    'SELECT * FROM main.g2_diag_rows',
    'SELECT * FROM memory.main.g2_diag_rows',
    "SELECT * FROM query_table('g2_diag_rows')",
    "SELECT * FROM query('SELECT * FROM g2_diag_rows')",
    'SELECT table_name, sql FROM duckdb_tables()',
    'SELECT * FROM duckdb_views()',
    'SELECT * FROM information_schema.tables',
    'SHOW TABLES',
    'DESCRIBE g2_diag_rows',
    'SUMMARIZE g2_diag_rows',
    'FROM g2_diag_rows',
    'PIVOT g2_diag_rows ON level USING count(*)',
    'SELECT 1; SELECT * FROM g2_diag_rows',
    'SELECT * FROM t NATURAL JOIN g2_diag_rows',
    'SELECT * FROM t, LATERAL (SELECT * FROM g2_diag_rows) AS x',
    "COPY t TO '/tmp/out.csv'",
    'EXPLAIN ANALYZE SELECT * FROM t',
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT getenv('HOME')",
    "SELECT current_setting('secret_directory')",
    "ATTACH '/tmp/x.duckdb' AS x",
    'INSTALL httpfs',
    "SELECT * FROM 'https://127.0.0.1/x.parquet'",
    'SELECT content_hash, seed, messages FROM t',
  ])('cannot show the other half, files or settings: %s', async (sql) => {
    const { text } = await query(sql);
    expect(text).not.toContain(OTHER_HALF);
    expect(text).not.toContain('root:');
    expect(text).toMatch(/"error"|marker-mined-half/);
  });

  test('is refused above 50 rows, and goes on', async () => {
    expect((await query('SELECT * FROM range(51)')).text).toMatch(/over a limit/);
    expect((await query('SELECT * FROM range(50)')).found).toMatchObject({ rows_found: 50 });
  });

  test('names the sets there are', async () => {
    const { found } = await ask('query', { sql: 'SELECT 1', sets: ['g9_diag'] });
    expect(found).toMatchObject({ error: 'there is no set g9_diag; there are g2_train, g2_diag' });
  });

  test('reads no text where none is shared, not even in an error', async () => {
    const closed = { share_trajectories: false };
    const { found, foreign } = await query(
      'SELECT * FROM t ORDER BY trajectory_id LIMIT 1',
      closed,
    );
    expect(Object.keys((found['rows'] as object[])[0] ?? {})).toContain('reward');
    expect(JSON.stringify(found)).not.toContain('marker');
    expect(foreign).toBe(false);
    const { text } = await query('SELECT artifact FROM t', closed);
    expect(text).toMatch(/fails/);
  });
});

describe('trajectories', () => {
  test('are listed with outcome and what fires, of the mining half alone', async () => {
    const { found } = await ask('trajectories', {
      where: 'reward = 1 AND hidden.score = 0',
      limit: 20,
    });
    const rows = found['rows'] as { trajectory_id: string; fires: string[] }[];
    expect(rows.every((row) => idsOf(true).includes(row.trajectory_id))).toBe(true);
    expect(rows[0]).toMatchObject({ reward: 1, training_hidden: 0, oracle_score: 0 });
    expect(rows[0]?.fires).toContain('answer_spraying');
  });

  test.each([
    "TRUE) UNION ALL SELECT artifact, '', 0, '', 0, 0, 0, 0, 0, 0, '', [] FROM g2_diag_rows --",
    'artifact::INTEGER > 0',
    '(SELECT count(*) FROM g2_diag_rows) > 0',
  ])('cannot be chosen by SQL that reads more: %s', async (where) => {
    const { text } = await ask('trajectories', { where });
    expect(text).not.toContain(OTHER_HALF);
    expect(text).toMatch(/"error"/);
  });

  test('are read in pieces, as data', async () => {
    const [id = ''] = idsOf(true);
    const { found, foreign, text } = await ask('read', { id });
    expect(found).toMatchObject({ id, set: 'g2_diag', oracle_score: 1, honest_success: true });
    expect(text).toContain(MINED_HALF);
    expect(foreign).toBe(true);
  });

  test('of the other half are refused by id, and unknown ones named', async () => {
    const [id = ''] = idsOf(false);
    const { text } = await ask('read', { id });
    expect(text).toMatch(/kept for testing detectors/);
    expect(text).not.toContain(OTHER_HALF);
    expect((await ask('read', { id: "x' OR TRUE --" })).text).toMatch(/no set of the archive has/);
  });

  test('are not read where no text is shared', async () => {
    const [id = ''] = idsOf(true);
    const { text } = await called([[['read', { id }]]], { share_trajectories: false }, archive);
    expect(text).toMatch(/no tool "read"/);
  });
});

describe('an expression', () => {
  test('is computed over facts, with its spread by outcome', async () => {
    const { found, foreign } = await ask('try_expression', { sql: 'len(answers)' });
    expect(found).toMatchObject({
      parses: true,
      constant: false,
      rows: [
        { outcome: 'all', nulls: 0 },
        { outcome: 'right', mean: 1 },
        { outcome: 'unearned', mean: 3 },
        { outcome: 'wrong' },
      ],
    });
    expect(foreign).toBe(false);
  });

  test.each([
    ['oracle_score', /oracle_score/],
    ['reward', /reward/],
    ['trajectory_id', /trajectory_id/],
    ['random()', /random/],
    ['(SELECT max(artifact) FROM t)', /SELECT|table/],
    ['1), (SELECT 2', /./],
    ['artifact::INTEGER', /./],
  ])('sees facts alone and fails as a sentence: %s', async (sql, why) => {
    const { text } = await ask('try_expression', { sql });
    expect(text).toMatch(/"error"|"parses":false/);
    expect(text).toMatch(why);
    expect(text).not.toContain(OTHER_HALF);
  });
});

describe('an expression where no text is shared', () => {
  const closed = { share_trajectories: false };

  test.each(['ascii(artifact)', 'len("answers")', 'unicode(prompt[1])'])(
    'reads no text: %s',
    async (sql) => {
      const { text } = await ask('try_expression', { sql }, closed);
      expect(text).toMatch(/"error":"\w+ holds text, which this campaign does not share/);
    },
  );

  test.each([
    ['try_detector', { sql: "artifact < 'm'" }],
    [
      'backtest',
      {
        patch: [
          { op: 'replace', path: '/reward/components', value: [{ feature: 'own', weight: 1 }] },
        ],
        features: [{ name: 'own', type: 'number', description: 'd', sql: 'ascii(prompt)' }],
      },
    ],
  ])('reads no text in %s', async (tool, input) => {
    const { text } = await ask(tool, input, closed);
    expect(text).toMatch(/"error":"\w+ holds text, which this campaign does not share/);
  });

  test('reads other facts', async () => {
    const { found } = await ask('try_expression', { sql: 'level' }, closed);
    expect(found).toMatchObject({ parses: true });
    const tried = await ask('try_detector', { sql: 'level > 1' }, closed);
    expect(tried.found).toHaveProperty('caught');
  });
});

describe('a detector', () => {
  test('is tried on the mining half, and counted', async () => {
    const { looked, text } = await called(
      [[['try_detector', { sql: 'len(answers) > 1' }]]],
      {},
      archive,
    );
    const tasks = idsOf(true).length / 3;
    const blank = { tasks: 0 };
    expect(JSON.parse(text)).toMatchObject({ caught: blank, false_alarms: { tasks, hits: 0 } });
    expect(looked?.tried).toEqual({ detectors: 1, backtests: 0 });
  });

  test('is tried at most forty times in a generation', async () => {
    const calls = (from: number): Call[] =>
      Array.from({ length: 8 }, (_, index) => ['try_detector', { sql: `level > ${from + index}` }]);
    const specialists = Array.from({ length: 8 }, (_, index) => ({
      ...REWARD,
      name: index === 0 ? 'reward' : `s${index}`,
      surfaces: [FACTOR_NAMES[index] ?? ''],
    }));
    const { answers, looked } = await called([calls(0)], { specialists }, archive);
    expect(answers.map(({ isFault }) => isFault)).toEqual([
      ...Array(5).fill(false),
      ...Array(3).fill(true),
    ]);
    expect(answers[5]?.text).toMatch(/may call try_detector 5 times/);
    expect(looked?.tried.detectors).toBe(5);
  });
});

describe('a backtest', () => {
  const STRICT_PATCH = [
    { op: 'replace', path: '/reward/components', value: [{ feature: 'strict_pass', weight: 1 }] },
  ];

  test('shows what each kind shows, and is counted', async () => {
    const { looked, text } = await called([[['backtest', { patch: STRICT_PATCH }]]], {}, archive);
    expect(JSON.parse(text)).toMatchObject({
      factor: 'reward',
      rejected: null,
      needs_branch: null,
    });
    expect(text).toContain('reward-rescoring');
    expect(looked?.tried).toEqual({ detectors: 0, backtests: 1 });
  });

  test('knows features of the model, and says no text of a row that they break on', async () => {
    const own = (sql: string) => ({
      patch: [
        { op: 'replace', path: '/reward/components', value: [{ feature: 'own_one', weight: 1 }] },
      ],
      features: [{ name: 'own_one', type: 'number', description: 'of my own', sql }],
    });
    const sound = await ask('backtest', own('(len(answers) = 1)::INTEGER'));
    expect(sound.found).toMatchObject({ factor: 'reward' });
    const broken = await ask('backtest', own('artifact::INTEGER'));
    expect(broken.text).toMatch(/cannot be computed/);
    expect(broken.text).not.toMatch(/marker/i);
  });

  test('of a patch that is none names the fault', async () => {
    const patch = [{ op: 'replace', path: '/gate/alpha', value: 1 }];
    expect((await ask('backtest', { patch })).text).toMatch(/decides how policies are evaluated/);
  });
});
