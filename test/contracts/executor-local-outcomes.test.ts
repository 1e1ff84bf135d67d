import { localCase } from './executor-local-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';

executorOutcomesContract('this machine', localCase);
