// Before the suite: one campaign that nobody disturbs. What it decided is what every disturbed one must decide.
import type { TestProject } from 'vitest/node';
import { World } from './test-machine.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** State folder of the undisturbed campaign; nothing runs in it. */
    readonly baseline: string;
  }
}

let world: World | null = null;

export async function setup(project: TestProject): Promise<void> {
  world = new World();
  await world.must(...world.run(null));
  await world.must('down');
  project.provide('baseline', world.stateDir);
}

export async function teardown(): Promise<void> {
  const left = await world?.close();
  if (left && left.length > 0) throw new Error(`still running: ${JSON.stringify(left)}`);
}
