import { vi } from 'vitest';
import { execCase } from './executor-exec-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';

// Each question is a program of its own, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
executorOutcomesContract('a program', () => execCase());
