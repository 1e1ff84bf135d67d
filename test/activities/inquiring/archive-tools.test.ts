// The tools that ask the archive, with the real query engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idsOf, openHalvedArchive, OTHER_HALF } from './archive-bench.ts';
import { called } from './called.ts';

let archive: Awaited<ReturnType<typeof openHalvedArchive>>;
beforeAll(async () => {
  archive = await openHalvedArchive();
});
afterAll(async () => archive.close());

const ask = async (tool: string, input: object, researcher?: object) => {
  const { answers } = await called([[[tool, input]]], researcher, archive);
  const [answer] = answers;
  if (answer === undefined) throw new Error('no answer');
  return { ...answer, found: JSON.parse(answer.text) as Record<string, never> };
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
    expect(Object.keys(found['rows']?.[0] ?? {})).toContain('reward');
    expect(JSON.stringify(found)).not.toContain('marker');
    expect(foreign).toBe(false);
    const { text } = await query('SELECT artifact FROM t', closed);
    expect(text).toMatch(/fails/);
  });
});
