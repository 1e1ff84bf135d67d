// Parts of schemas for values that people write. Every number, text and list in a config or a message has a limit, so
// that a typo cannot exhaust a machine. `test/core/limits.test.ts` walks the schemas.
import { z } from 'zod';

/** A whole number from 1 to `max`, for an amount that costs time, memory or disk. */
export const countTo = (max: number) => z.int().min(1).max(max);

/** Generations of a campaign. */
export const GENERATIONS_MAX = 10_000;

/** Characters of a name, such as that of a feature or a category. */
export const NAME_MAX = 63;

/** Characters of a path. */
const PATH_MAX = 4096;

/** A text of one line, without control characters. */
export const lineSchema = (max = 200) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\P{Cc}*$/u, 'one line without control characters');

export const pathSchema = lineSchema(PATH_MAX);

export const absolutePathSchema = (hint: string) =>
  z
    .string()
    .max(PATH_MAX)
    .regex(/^\/\P{Cc}*$/u, hint);

/** A bound of a metric; metrics are shares, means and counts, none of which is larger. */
export const thresholdSchema = z.number().min(-1e12).max(1e12);

const ENTRIES_MAX = 100;

/** Values by name, such as weights by category. */
export const byNameSchema = <Value extends z.ZodType>(value: Value) =>
  z
    .record(
      z
        .string()
        .max(NAME_MAX)
        .regex(/^[a-z][a-z0-9_.-]*$/, 'lower-case letters, digits, underscores, dots and hyphens'),
      value,
    )
    .refine((entries) => Object.keys(entries).length <= ENTRIES_MAX, {
      error: `at most ${ENTRIES_MAX} entries`,
    })
    .meta({ maxProperties: ENTRIES_MAX });
