import { evoCommand } from './define-command.ts';
import { controlArgs, given, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'pause',
  description: 'Pause a campaign: nothing new starts until evo resume.',
  args: {
    ...controlArgs,
    mode: {
      type: 'enum',
      options: ['drain', 'checkpoint'],
      default: 'drain',
      description: 'drain: running jobs finish; checkpoint: they write one and free their slots',
    },
    reason: { type: 'string', description: 'why, for the ledger' },
  },
  run: ({ mode, reason, ...args }) =>
    sendMessage('pause', args, {
      mode: mode === 'checkpoint' ? 'checkpoint' : 'drain',
      ...given({ reason }),
    }),
});
