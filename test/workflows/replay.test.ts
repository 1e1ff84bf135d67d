// Histories of past campaigns: code that issues other commands would block running campaigns.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { describe, expect, inject, it } from 'vitest';
import { installQuietRuntime } from './quiet-runtime.ts';

installQuietRuntime();
const FOLDER = fileURLToPath(new URL('../histories/', import.meta.url));
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const textOf = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const replay = async (text: string): Promise<void> => {
  const history = JSON.parse(text) as {
    events: { [attributes: string]: { workflowId?: string } }[];
  };
  // Workflows compare their own id with their arguments.
  const { workflowId } = history.events[0]?.['workflowExecutionStartedEventAttributes'] ?? {};
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: inject('bundlePath') } },
    history,
    workflowId,
  );
};

describe('a recorded history', () => {
  it('exists for each workflow', () => {
    for (const workflow of [
      'campaign',
      'generation',
      'branch',
      'inquiry',
      'final',
      'firing',
      'reaper',
    ]) {
      expect(files).toContain(`${workflow}.json`);
    }
  });

  it.each(files)('replays: %s', async (file) => {
    await expect(replay(textOf(file))).resolves.toBeUndefined();
  });

  it.each(files)('stays small: %s', (file) => {
    expect(textOf(file).length).toBeLessThan(250_000);
  });

  it('does not replay if a step has another name', async () => {
    const other = textOf('branch.json').replaceAll('"train.replicates.submit"', '"train.send"');
    await expect(replay(other)).rejects.toBeInstanceOf(DeterminismViolationError);
  });
});
