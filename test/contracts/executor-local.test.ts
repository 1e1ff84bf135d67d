import { localCase } from './executor-local-case.ts';
import { executorContract } from './executor.contract.ts';

executorContract('this machine', localCase);
