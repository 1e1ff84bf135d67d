import { vi } from 'vitest';
import { batchCase } from './executor-batch-case.ts';
import { executorContract } from './executor.contract.ts';

// Many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
executorContract('AWS Batch', batchCase);
