import { readEnvironment } from '../workers/config.ts';
import { statePaths } from '../workers/paths.ts';
import { stopSupervised } from '../workers/supervise/stop.ts';
import { evoCommand } from './define-command.ts';
import { EXIT } from './exit.ts';

export const command = evoCommand({
  name: 'down',
  description:
    'Stop worker, jobs and servers of this machine. Campaigns go on with the next evo up.',
  args: { json: { type: 'boolean', description: 'print one JSON object' } },
  async run(args) {
    const stopped = await stopSupervised(statePaths(readEnvironment().stateDir));
    if (args.json) console.log(JSON.stringify({ stopped }));
    else console.log(stopped ? 'Down. Campaigns go on with the next evo up.' : 'Nothing was up.');
    return EXIT.ok;
  },
});
