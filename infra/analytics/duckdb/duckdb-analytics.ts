import type { Analytics, QueryRequest, Row } from '../../../activities/ports/analytics.ts';
import { ObjectCache, type ReadableStores } from './object-cache.ts';
import type { QueryLimits } from './protocol.ts';
import { QueryProcess } from './query-process.ts';

const LIMITS: QueryLimits = { memoryMb: 2048, timeoutMs: 120_000, rowsMax: 200_000 };

/**
 * Queries by DuckDB in a child process. Every query gets a database of its own that holds the named tables and
 * nothing else; no SQL, ours included, can reach a file, the network or the configuration.
 */
export class DuckDbAnalytics implements Analytics {
  readonly #cache: ObjectCache;
  readonly #process = new QueryProcess();

  constructor(stores: ReadableStores, cacheDirectory: string) {
    this.#cache = new ObjectCache(stores, cacheDirectory);
  }

  async query({ sql, tables, limits = {} }: QueryRequest): Promise<Row[]> {
    const local = [];
    for (const [name, source] of Object.entries(tables)) {
      local.push(await this.#cache.fetch(name, source));
    }
    return this.#process.run({ sql, tables: local, limits: { ...LIMITS, ...limits } });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
