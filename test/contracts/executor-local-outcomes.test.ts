import { localCase } from './executor-case.ts';
import { executorOutcomesContract } from './executor-outcomes.contract.ts';
import { executorQueueContract } from './executor-queue.contract.ts';

executorOutcomesContract('this machine', localCase);
executorQueueContract('this machine', localCase);
