// What the adapter and its child process say to each other.
import type { Row } from '../../../activities/ports/analytics.ts';
import type { AnalyticsFailure } from '../../../activities/ports/analytics-error.ts';

export interface LocalTable {
  readonly name: string;
  readonly format: 'parquet' | 'jsonl';
  /** Files in the cache, with the objects they are copies of. */
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

export interface QueryLimits {
  readonly memoryMb: number;
  readonly timeoutMs: number;
  readonly rowsMax: number;
}

export interface ChildRequest {
  readonly id: number;
  readonly sql: string;
  readonly tables: readonly LocalTable[];
  readonly limits: QueryLimits;
}

export type ChildReply =
  | { readonly id: number; readonly status: 'ok'; readonly rows: Row[] }
  | {
      readonly id: number;
      readonly status: 'failed';
      readonly failure: AnalyticsFailure;
      readonly message: string;
    };
