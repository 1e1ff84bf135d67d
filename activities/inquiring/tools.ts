// The tools of an inquiry. None of them changes anything: `submit` yields offers that are checked like a stranger's.
import { submissionJsonSchema } from '../../core/schemas/offer.ts';
import type { ToolSpec } from '../ports/model.ts';

export const SUBMIT_TOOL = 'submit';

export const toolSpecs = (): readonly ToolSpec[] => [
  {
    name: SUBMIT_TOOL,
    description:
      'Ends the inquiry with the changes that you propose, at most four, or with the reason to propose nothing.',
    parameters: submissionJsonSchema(),
  },
];
