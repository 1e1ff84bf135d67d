import { checkFeatures } from './check-features.ts';
import { evoCommand, positionals, repeated } from './define-command.ts';
import { EXIT } from './exit.ts';
import { loadConfig } from './load-config.ts';
import { withHarnessFolder } from './own-definitions.ts';
import { play } from './play-campaign.ts';
import { digestOf } from './start-campaign.ts';
import { stringify } from 'yaml';
import { printJson, say } from './terminal/printable.ts';

/** Arguments of every command that starts a campaign. */
export const runArgs = {
  set: { type: 'string', description: 'override a key, as in --set budget.optimizer_steps=40' },
  detach: { type: 'boolean', description: 'start it and return' },
  json: { type: 'boolean', description: 'print one JSON event a line' },
  'dry-run': { type: 'boolean', description: 'check and print the resolved config' },
} as const;

export const command = evoCommand({
  name: 'run',
  description: 'Start a campaign from YAML files, left to right, or attach to it. Ctrl-C detaches.',
  args: {
    config: { type: 'positional', required: true, description: 'campaign file; more may follow' },
    ...runArgs,
  },
  rest: true,
  async run(args, rawArgs) {
    const files = positionals(args, rawArgs, 'set');
    const config = await withHarnessFolder(loadConfig(files, repeated(rawArgs, 'set')));
    await checkFeatures(config);
    if (args['dry-run'] !== true) {
      return play(config, { json: args.json === true, detach: args.detach === true });
    }
    if (args.json) printJson({ configDigest: digestOf(config), config });
    else say(`# config digest ${digestOf(config)}\n${stringify(config)}`.trimEnd());
    return EXIT.ok;
  },
});
