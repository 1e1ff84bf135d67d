import { describe, vi } from 'vitest';
import { slurmMissing } from '../cluster/slurm-cluster.ts';
import { slurmCase } from './executor-slurm-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';

const missing = slurmMissing();

// Each query starts a program, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });
describe.skipIf(missing)(`on slurm${missing}`, () => {
  executorOutcomesContract('a slurm cluster', slurmCase);
});
