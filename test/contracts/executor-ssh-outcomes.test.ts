import { describe, vi } from 'vitest';
import { sshCase } from './executor-ssh-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';
import { executorQueueContract } from './executor-queue.contract.ts';
import { sshMissing } from './ssh-server.ts';

// Each query is a command on the host, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
describe.skipIf(sshMissing)(`over ssh${sshMissing}`, () => {
  executorOutcomesContract('another machine', sshCase);
  executorQueueContract('another machine', sshCase);
});
