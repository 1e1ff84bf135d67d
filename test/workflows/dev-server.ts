// A real Temporal server in memory, without a UI, for the tests of one run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST, probePort } from '../../infra/process/port-holder.ts';
import {
  SEARCH_ATTRIBUTES,
  SERVER_SETTINGS,
  temporalAnswers,
} from '../../infra/temporal/server.ts';
import { toolPath } from '../../infra/machine/tools.ts';

const START_MS_MAX = 60_000;

export interface DevServer {
  readonly address: string;
  close(): Promise<void>;
}

export async function startDevServer(): Promise<DevServer> {
  const port = await probePort(0);
  const address = `${HOST}:${port}`;
  const attributes = Object.entries(SEARCH_ATTRIBUTES).flatMap(([name, type]) => [
    '--search-attribute',
    `${name}=${type}`,
  ]);
  const child = spawn(
    toolPath('temporal'),
    [
      ...['server', 'start-dev', '--headless', '--ip', HOST, '--port', String(port)],
      ...['--log-level', 'error', ...attributes],
      ...SERVER_SETTINGS,
    ],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  const deadline = Date.now() + START_MS_MAX;
  while (!(await temporalAnswers(address, 'default'))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the Temporal server did not come up at ${address}`);
    }
    await sleep(50);
  }
  return {
    address,
    close: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
