// Parses a text with the engine's own parser, and refuses it before anything runs it.
import type { DuckDBConnection } from '@duckdb/node-api';
import { AnalyticsError } from '../../../activities/ports/analytics-error.ts';
import { expressionQuery } from '../../../core/harness/expression.ts';
import { createInstance, lockDown, quoteText, shorten } from './engine.ts';
import { featureFault, queryFault, type Vocabulary, vocabularyOf } from './query-policy.ts';

/** A parse takes up to two hundred times the memory of its text. */
const TEXT_LENGTH_MAX = 512 * 1024;
const PARSER_MEMORY_MB = 512;
const REMEMBERED_MAX = 512;

export class QueryCheck {
  #parser: Promise<{ connection: DuckDBConnection; vocabulary: Vocabulary }> | null = null;
  /** Texts that passed, least recently used first. A report asks the same queries of each set. */
  readonly #passed = new Set<string>();

  /** Throws AnalyticsError `query` unless the text is one SELECT over `tables` and nothing else. */
  async query(sql: string, tables: readonly string[]): Promise<void> {
    await this.#once(`query over ${tables.join(',')}: ${sql}`, async () => {
      const { vocabulary } = await this.#start();
      const fault = queryFault(await this.#parse(sql), tables, vocabulary);
      if (fault !== null) throw new AnalyticsError('query', `${fault} [${shorten(sql)}]`);
    });
  }

  /** Throws AnalyticsError `query` that names the column unless its text is one expression over a row. */
  async feature(name: string, sql: string): Promise<void> {
    await this.#once(`feature: ${sql}`, async () => {
      const { vocabulary } = await this.#start();
      const fault = featureFault(await this.#parse(expressionQuery(sql)), vocabulary);
      if (fault !== null) {
        throw new AnalyticsError('query', `feature ${name}: ${fault} [${shorten(sql)}]`);
      }
    });
  }

  async #once(key: string, check: () => Promise<void>): Promise<void> {
    if (!this.#passed.delete(key)) await check();
    this.#passed.add(key);
    const [oldest] = this.#passed;
    if (this.#passed.size > REMEMBERED_MAX && oldest !== undefined) this.#passed.delete(oldest);
  }

  async #parse(sql: string): Promise<unknown> {
    if (sql.length > TEXT_LENGTH_MAX) {
      throw new AnalyticsError('query', `a text of ${sql.length} characters is too long for SQL`);
    }
    const { connection } = await this.#start();
    const parsed = await connection.runAndReadAll(`SELECT json_serialize_sql(${quoteText(sql)})`);
    return JSON.parse(String(parsed.getRows()[0]?.[0]));
  }

  #start(): Promise<{ connection: DuckDBConnection; vocabulary: Vocabulary }> {
    this.#parser ??= startParser();
    return this.#parser;
  }
}

async function startParser() {
  const connection = await (await createInstance()).connect();
  const rows = await connection.runAndReadAll(
    'SELECT DISTINCT function_name, function_type, stability FROM duckdb_functions()',
  );
  const vocabulary = vocabularyOf(
    rows.getRows().map(([name, kind, stability]) => ({
      name: String(name),
      kind: String(kind),
      stability: stability === null ? null : String(stability),
    })),
  );
  await lockDown(connection, [], PARSER_MEMORY_MB);
  return { connection, vocabulary };
}
