import { localCase } from './executor-case.ts';
import { executorContract } from './executor.contract.ts';

executorContract('this machine', localCase);
