import { vi } from 'vitest';
import { execCase } from './executor-exec-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';

// Each query starts a program, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
executorOutcomesContract('a program', () => execCase());
