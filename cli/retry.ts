import { STEPS } from '../core/steps.ts';
import { evoCommand } from './define-command.ts';
import { controlArgs, given, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'retry',
  description: 'Another attempt of the parked or open generation; finished steps are reused.',
  args: {
    ...controlArgs,
    from: {
      type: 'enum',
      options: [...STEPS],
      description: `run this step and all after it anew: ${STEPS.join(', ')}`,
    },
    reason: { type: 'string', description: 'why, for the ledger' },
  },
  run: ({ from, reason, ...args }) => {
    const step = STEPS.find((name) => name === from);
    return sendMessage('retry', args, given({ from: step, reason }));
  },
});
