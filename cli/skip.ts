import { evoCommand } from './define-command.ts';
import { controlArgs, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'skip',
  description: 'Leave a parked generation undecided and go on.',
  args: {
    ...controlArgs,
    reason: { type: 'string', required: true, description: 'why, for the ledger' },
  },
  run: ({ reason, ...args }) => sendMessage('skip', args, { reason }),
});
