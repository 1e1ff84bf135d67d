import { evoCommand } from './define-command.ts';
import { controlArgs, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'abort',
  description: 'Cancel everything now, end its jobs, keep the incumbent.',
  args: {
    ...controlArgs,
    reason: { type: 'string', required: true, description: 'why, for the ledger' },
  },
  run: ({ reason, ...args }) => sendMessage('abort', args, { reason }),
});
