// A person plays a task in the terminal: the trainer's own environment, with our standard streams.
import { spawnSync } from 'node:child_process';
import { trainerCommand, trainerFolder } from '../workers/compose-trainer.ts';
import { evoCommand } from './define-command.ts';
import { EXIT } from './exit.ts';

export const command = evoCommand({
  name: 'play',
  description: 'Play a task of a domain yourself, as the policy would, and see how it is judged.',
  args: {
    domain: { type: 'positional', description: 'math.chain, code.listprog or swe.minirepo' },
    level: { type: 'string', description: 'task level; any when left out' },
    category: { type: 'string', description: 'kind of task; any when left out' },
    seed: { type: 'string', description: 'another seed, another task' },
    option: { type: 'string', description: "name=value, an option of the domain's environment" },
  },
  async run(_args, rawArgs) {
    const [program, ...before] = trainerCommand('evotrainer.play');
    const { status } = spawnSync(program, [...before, ...rawArgs], {
      cwd: trainerFolder,
      stdio: 'inherit',
    });
    return status === 0 ? EXIT.ok : EXIT.usage;
  },
});
