// Loading packages is most of the time of a command, so heavy packages are loaded when they are used.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const CLI = join(import.meta.dirname, '..', '..', 'cli');
const HEAVY = /^(@aws-sdk|@duckdb|@temporalio\/worker)/;

/** Packages that a module reaches by static imports, without types. */
function packagesOf(file: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  if (seen.has(file)) return packages;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )(?:[^;']*? from )?'([^']+)';/gm,
  );
  for (const [, path = ''] of imports) {
    if (!path.startsWith('.')) packages.add(path);
    else for (const name of packagesOf(join(dirname(file), path), seen)) packages.add(name);
  }
  return packages;
}

describe('a command that only reads', () => {
  it.each(['status', 'watch', 'logs', 'report', 'verify', 'trajectories', 'health', 'schedule'])(
    '%s loads no query engine, no cloud SDK and no worker before it runs',
    (name) => {
      const packages = [...packagesOf(join(CLI, `${name}.ts`))];
      expect(packages).toContain('@temporalio/client');
      expect(packages.filter((found) => HEAVY.test(found))).toEqual([]);
    },
  );
});
