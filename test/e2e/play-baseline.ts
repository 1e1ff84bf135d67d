// Before the suite: one undisturbed campaign. Every disturbed one must make the same decisions.
import type { TestProject } from 'vitest/node';
import { TestMachine } from './test-machine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** State folder of the undisturbed campaign; nothing runs in it. */
    readonly baseline: string;
  }
}

let machine: TestMachine | null = null;

export async function setup(project: TestProject): Promise<void> {
  machine = new TestMachine();
  await machine.must(...machine.run(null));
  await machine.must('down');
  project.provide('baseline', machine.stateDir);
}

export async function teardown(): Promise<void> {
  const left = await machine?.close();
  if (left && left.length > 0) throw new Error(`still running: ${JSON.stringify(left)}`);
}
