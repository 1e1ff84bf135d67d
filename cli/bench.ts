import { evoGroup } from './define-group.ts';
import { researchers } from './bench/researchers.ts';

export const command = evoGroup({
  name: 'bench',
  description: 'Measure researchers on decisions whose outcomes are known.',
  commands: { researchers },
});
