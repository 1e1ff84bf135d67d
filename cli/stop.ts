import { evoCommand } from './define-command.ts';
import { controlArgs, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'stop',
  description: 'End the campaign after the open generation.',
  args: controlArgs,
  run: (args) => sendMessage('stop', args, {}),
});
