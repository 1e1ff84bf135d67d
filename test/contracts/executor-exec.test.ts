import { vi } from 'vitest';
import { execCase } from './executor-exec-case.ts';
import { executorContract } from './executor.contract.ts';

// Each query starts a program, and many programs start slowly on a busy machine.
vi.setConfig({ testTimeout: 600_000 });
executorContract('a program', () => execCase());
