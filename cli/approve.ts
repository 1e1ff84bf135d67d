import { answerArgs } from './answer-approval.ts';
import { evoCommand, repeated } from './define-command.ts';
import { sendMessage } from './send-message.ts';

export const command = evoCommand({
  name: 'approve',
  description: 'Let a design be trained, or a branch that passed the gate be promoted.',
  args: {
    ...answerArgs,
    digest: {
      type: 'string',
      required: true,
      description: 'of what you read, as evo approvals shows it',
    },
    only: { type: 'string', description: 'train only this intervention; can be repeated' },
  },
  run: ({ approval: approvalId, digest, campaign, by, id, json }, rawArgs) => {
    const only = repeated(rawArgs, 'only');
    const narrowed = only.length === 0 ? {} : { only };
    const args = { campaign, by, id, json };
    return sendMessage('approve', args, { approvalId, digest, ...narrowed });
  },
});
