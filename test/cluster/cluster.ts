// A Slurm cluster to play with: node test/cluster/cluster.ts up DIR [--nodes N] [--gpus N] [--forward PORT]. It lives
// as long as this program, and prints what to put into a campaign's file.
import { once } from 'node:events';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../workers/paths.ts';
import { SlurmCluster, slurmMissing } from './slurm-cluster.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    nodes: { type: 'string', default: '3' },
    gpus: { type: 'string', default: '0' },
    forward: { type: 'string', multiple: true, default: [] },
  },
});
const [verb, dir] = positionals;
if (verb !== 'up' || dir === undefined) {
  console.error(
    'usage: node test/cluster/cluster.ts up DIR [--nodes N] [--gpus N] [--forward PORT]',
  );
  process.exit(64);
}
const missing = slurmMissing();
if (missing !== '') {
  console.error(`no cluster can be started${missing}`);
  process.exit(69);
}
const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
const folder = resolve(dir, 'cluster');
const cluster = await SlurmCluster.start(folder, {
  nodes: Number(values.nodes),
  gpus: Number(values.gpus),
});
for (const port of values.forward) await cluster.forward(Number(port));
console.log(`# ${cluster.nodes.join(', ')}; this machine is ${cluster.gateway} to them`);
console.log(`# before evo up: export SLURM_CONF=${cluster.variables.SLURM_CONF}`);
console.log(`executor:
  type: slurm
  partition: main
  folder: ${projectRoot}
  jobs_folder: ${resolve(dir, 'jobs')}
  shared_folder: ${resolve(dir, 'launches')}
  node: ${process.execPath}`);
await ended;
await cluster.close();
