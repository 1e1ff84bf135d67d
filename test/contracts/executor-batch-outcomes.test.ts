import { vi } from 'vitest';
import { batchCase } from './executor-batch-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';

// Many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
executorOutcomesContract('AWS Batch', batchCase);
