import { describe, vi } from 'vitest';
import { sshCase } from './executor-ssh-case.ts';
import { executorContract } from './executor.contract.ts';
import { sshMissing } from './ssh-server.ts';

// Each query is a command on the host, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
describe.skipIf(sshMissing)(`over ssh${sshMissing}`, () => {
  executorContract('another machine', sshCase);
});
