// What a Parquet file holds, as plain objects.
import { DuckDBInstance } from '@duckdb/node-api';

export async function readTable(path: string, select = '*'): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(`SELECT ${select} FROM '${path}'`);
    return reader.getRowObjectsJson();
  } finally {
    instance.closeSync();
  }
}
