// Rows of the trajectory table from a foreign log, as one SELECT: what the log tells by expression, everything else NULL.
import { z } from 'zod';
import { quoteName } from '../analytics/duckdb/engine.ts';
import { trajectorySchema } from '../../core/schemas/trajectory.ts';

/** Expressions by column of the trajectory table, over the columns of `from`. */
export interface LogRows {
  readonly from: string;
  readonly columns: Readonly<Record<string, string>>;
  /** Columns of the outcome structs, by field. */
  readonly hidden?: Readonly<Record<string, string>>;
}

export function rowsQuery({ from, columns, hidden = {} }: LogRows): string {
  const given: Readonly<Record<string, string>> = {
    version: '1',
    split: "'IMPORT'",
    domain: "'unknown'",
    visible: outcome({}),
    hidden: outcome(hidden),
    extra: "'{}'",
    ...columns,
  };
  const selected = Object.entries(trajectorySchema.shape).map(([name, schema]) => {
    const type = duckdbType(schema);
    const expression = given[name] ?? (type.endsWith('[]') && !schema.isNullable() ? '[]' : 'NULL');
    return `CAST(${expression} AS ${type}) AS ${quoteName(name)}`;
  });
  return `SELECT ${selected.join(',\n  ')}\nFROM ${from}`;
}

const outcome = (fields: Readonly<Record<string, string>>): string =>
  `struct_pack(${Object.keys(trajectorySchema.shape.hidden.shape)
    .map((field) => `${field} := ${fields[field] ?? 'NULL'}`)
    .join(', ')})`;

/** The engine's type of a column. Throws RangeError for a schema that no table column has. */
export function duckdbType(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodNullable) return duckdbType(schema.unwrap());
  if (schema instanceof z.ZodArray) return `${duckdbType(schema.element)}[]`;
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape).map(
      ([name, field]) => `${quoteName(name)} ${duckdbType(field)}`,
    );
    return `STRUCT(${fields.join(', ')})`;
  }
  if (schema instanceof z.ZodNumber) return schema.isInt ? 'BIGINT' : 'DOUBLE';
  if (schema instanceof z.ZodBoolean) return 'BOOLEAN';
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'VARCHAR';
  throw new RangeError(`no column type for ${schema._zod.def.type}`);
}

/** Text of a column that holds text, or chat messages: what was said, line by line. */
export const textOf = (column: string, type: string): string =>
  type.endsWith('[]')
    ? `coalesce(array_to_string(list_transform(${column}, lambda message: coalesce(message.content::VARCHAR, '')), chr(10)), '')`
    : `coalesce(${column}::VARCHAR, '')`;

/** The one turn of an output that a log holds as text. */
export const oneTurn = (text: string): string =>
  `[{'role': 'policy', 'tool': NULL, 'arguments': NULL, 'text': ${text}, 'status': 'ok', 'exit_code': NULL, 'tokens': NULL, 'mean_logprob': NULL, 'entropy': NULL, 'forced': FALSE}]`;

/** A short name of a text, the same wherever it occurs. */
export const nameOf = (text: string): string => `left(md5(${text}), 12)`;
