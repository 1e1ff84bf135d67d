import type { NamedSelect } from '../../core/harness/set-query.ts';
import type { ArtifactRef } from '../../core/schemas/artifact.ts';

export type Cell =
  | number
  | string
  | boolean
  | null
  | readonly Cell[]
  | { readonly [field: string]: Cell };
export type Row = Readonly<Record<string, Cell>>;

/** Parquet or JSON-lines objects seen as one table. A tree's files are read in path order. */
export interface TableSource {
  readonly refs: readonly { readonly ref: ArtifactRef; readonly tree: boolean }[];
  readonly format: 'parquet' | 'jsonl';
  /** Columns beside those of the rows, which must be Parquet. Absent = none. */
  readonly derived?: DerivedColumns;
}

/** Columns computed from the rows of a table: expressions over `from` alone, so that none can read what it may not. */
export interface DerivedColumns {
  readonly from: readonly string[];
  readonly columns: readonly { readonly name: string; readonly sql: string }[];
}

export interface QueryRequest {
  readonly sql: string;
  readonly tables: Readonly<Record<string, TableSource>>;
  /**
   * What many queries over these tables stand on: each over the tables and those before it. Where they are small they are
   * computed once, and stay for the next query that begins with the same ones. Absent = none.
   */
  readonly views?: readonly NamedSelect[];
  /** Machine-written SQL: parsed as one SELECT, run with external access off and under these limits. */
  readonly limits?: {
    readonly memoryMb?: number;
    readonly timeoutMs?: number;
    readonly rowsMax?: number;
  };
}

/**
 * Queries over archived tables.
 *
 * **Contract:** deterministic (one thread, and nothing in a query that differs from run to run); runs outside the caller's
 * process, which survives whatever a query does. A query is one SELECT over the named tables and views. Derived columns are
 * computed once for an object and kept; they are equal to computed ones, whatever became of what was kept.
 * A bad query is AnalyticsError `query` with the engine's message; a damaged file is `damaged` and names the object.
 * It is built with the stores it may read: the one given to the researcher's side has no sealed root.
 */
export interface Analytics {
  query(request: QueryRequest): Promise<Row[]>;
  close(): Promise<void>;
}
