import { evoCommand } from './define-command.ts';
import { controlArgs, sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'resume',
  description: 'Go on where pause stopped.',
  args: controlArgs,
  run: (args) => sendMessage('resume', args, {}),
});
