// SQL that is hard to read: lines of more than 120 columns, in definitions and in code, and definitions of more than 40
// lines.
import type { TrackedFile } from './tracked-files.ts';

const COLUMNS_MAX = 120;
const LINES_MAX = 40;

/** One entry per violation. The YAML head of a definition does not count as lines of its SQL. */
export const longSql = (files: readonly TrackedFile[]): string[] =>
  files.flatMap(({ path, lines }) => {
    const wide = lines.flatMap((line, index) =>
      Array.from(line).length > COLUMNS_MAX
        ? [`${path}:${index + 1} is wider than 120 columns`]
        : [],
    );
    const sql = lines.slice(lines.indexOf('---*/') + 1).filter((line) => line.trim() !== '');
    return path.endsWith('.sql') && sql.length > LINES_MAX
      ? [...wide, `${path} has ${sql.length} lines of SQL`]
      : wide;
  });

const STATEMENT = /\bSELECT\b.*\bFROM\b|\bFROM read_\w+\(|\bCOPY \(|\b(CROSS|POSITIONAL) JOIN\b/;

/** Lines of code that hold a statement and are too wide. */
export const wideStatements = (files: readonly TrackedFile[]): string[] =>
  files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      STATEMENT.test(line) && Array.from(line).length > COLUMNS_MAX
        ? [`${path}:${index + 1} is wider than 120 columns`]
        : [],
    ),
  );
