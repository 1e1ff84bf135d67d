// One server and one bundle for all files of the project.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { workflowBundle } from '../../workers/workflow-bundle.ts';
import { startDevServer } from './dev-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly temporalAddress: string;
    readonly bundlePath: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'evo-workflows-'));
  const bundlePath = join(folder, 'bundle.js');
  const [server, { code }] = await Promise.all([startDevServer(), workflowBundle()]);
  await writeFile(bundlePath, code);
  project.provide('temporalAddress', server.address);
  project.provide('bundlePath', bundlePath);
  return async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
}
