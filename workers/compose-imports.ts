// How commands read files of other agents and trainers: adapters chosen here, as for a campaign's ports.
import { importFiles } from '../infra/imports/import-file.ts';
import { describeProblem } from '../infra/imports/problem.ts';

export const composeImports = () => ({ importFiles, describeProblem });
