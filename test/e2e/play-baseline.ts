// Before the suite: one undisturbed campaign. Every disturbed one must make the same decisions.
import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { markedWith, type SeenSecrets, watchSecrets } from './marked-secrets.ts';
import { TestMachine } from './test-machine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** State folder of the undisturbed campaign; nothing runs in it. */
    readonly baseline: string;
    /** Who had the mark of a secret while it was played. */
    readonly seenSecrets: SeenSecrets;
  }
}

let machine: TestMachine | null = null;

export async function setup(project: TestProject): Promise<void> {
  const mark = randomUUID();
  machine = new TestMachine(undefined, markedWith(mark));
  const stopWatching = watchSecrets(machine.stateDir, mark);
  await machine.must(...machine.run(null));
  project.provide('seenSecrets', stopWatching());
  await machine.must('down');
  project.provide('baseline', machine.stateDir);
}

export async function teardown(): Promise<void> {
  const left = await machine?.close();
  if (left && left.length > 0) throw new Error(`still running: ${JSON.stringify(left)}`);
}
