// The direction of imports is kept by lint rules; here they meet imports that break it, and some that
// do not.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repoRoot } from './tracked-files.ts';

const imports: Record<string, { refused: string[]; allowed: string[] }> = {
  'core/planted.ts': {
    refused: ['node:fs', 'zod', '@lezer/python', './schemas/job.ts', '../infra/machine/tools.ts'],
    allowed: ['./ids.ts', 'type:./schemas/job.ts'],
  },
  'core/schemas/planted.ts': {
    refused: ['node:fs', 'yaml', '@aws-sdk/client-s3', '../../activities/shared/digest.ts'],
    allowed: ['zod', './job.ts', '../ids.ts'],
  },
  'workflows/planted.ts': {
    refused: ['node:fs', '../activities/index.ts', '../workers/compose.ts'],
    allowed: [
      '@temporalio/workflow',
      '../core/ids.ts',
      '../core/schemas/messages.ts',
      'type:../core/schemas/job.ts',
      'type:../activities/index.ts',
    ],
  },
  'activities/planted.ts': {
    refused: ['../infra/store/file-store.ts', '../workers/compose.ts', '../workflows/index.ts'],
    allowed: ['./ports/store.ts', '../core/ids.ts', '@temporalio/activity'],
  },
  'infra/store/planted.ts': {
    refused: [
      '../../activities/promote.ts',
      '../../workers/compose.ts',
      '../../cli/run.ts',
      '../../scripts/checks.mjs',
      '../../test/e2e/test-machine.ts',
    ],
    allowed: ['../../activities/ports/store.ts', '../../core/ids.ts', '../machine/tools.ts'],
  },
  'scripts/planted.ts': {
    refused: ['../test/e2e/test-machine.ts'],
    allowed: ['../infra/machine/tools.ts', '../workers/config.ts'],
  },
  'cli/planted.ts': {
    refused: [
      '../infra/store/file-store.ts',
      '../infra/temporal/server.ts',
      '../workers/worker.ts',
      '../workers/create-worker.ts',
    ],
    allowed: [
      '../workers/compose.ts',
      '../workers/compose-jobs.ts',
      '../workers/config.ts',
      '../workers/supervise/stop.ts',
      '../infra/machine/tools.ts',
      '../core/ids.ts',
      '@temporalio/client',
    ],
  },
};

describe('import direction', () => {
  let folder: string;
  let found: string[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'evotrainer-lint-'));
    cpSync(join(repoRoot, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    for (const [file, { refused, allowed }] of Object.entries(imports)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), [...refused, ...allowed].map(importLine).join('\n'));
    }
    const lint = join(repoRoot, 'node_modules', '.bin', 'oxlint');
    const args = [lint, '--format', 'unix'];
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    found = stdout.split('\n').filter((line) => line.includes('no-restricted-imports'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(Object.entries(imports))('is kept in %s', (file, { refused }) => {
    const told = found.filter((line) => line.startsWith(`${file}:`));
    expect(told.map((line) => /'([^']+)' import/.exec(line)?.[1])).toEqual(refused);
  });
});

function importLine(source: string, index: number): string {
  const isType = source.startsWith('type:');
  const from = source.replace('type:', '');
  return `import ${isType ? 'type ' : ''}{ a as a${index} } from '${from}';`;
}
