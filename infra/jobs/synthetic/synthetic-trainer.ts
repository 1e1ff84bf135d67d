// A trainer that learns nothing: it follows the job contract, takes a given time, and writes made-up results. For
// measurements of how many jobs share a machine. Like a trainer, it gets the job's folder as its last argument.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jobSchema } from '../../../core/schemas/job.ts';
import { claimRequestSchema } from '../claim-folder.ts';
import { syntheticOutputs } from './synthetic-results.ts';

/** A training takes as long as this many other jobs. */
const TRAIN_TIMES = 3;
const BEAT_MS = 200;

const folder = process.argv.at(-1) ?? '.';
const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
const job = jobSchema.parse(read('job.json'));
const { key } = claimRequestSchema.parse(read('request.json'));

process.on('SIGTERM', () => process.exit(143));
process.stdin.on('end', () => process.exit(1)).on('error', () => process.exit(1));
process.stdin.resume();

const times = job.kind === 'train' ? TRAIN_TIMES : 1;
const durationMs = times * Number(process.env['SYNTHETIC_JOB_MS'] ?? BEAT_MS);
const beats = Math.max(1, Math.ceil(durationMs / BEAT_MS));
for (let done = 1; done <= beats; done++) {
  await sleep(durationMs / beats);
  write('heartbeat.json', JSON.stringify({ stage: job.kind, done, total: beats }));
}
const outputs = syntheticOutputs({ key, job }).map(([name, text]) => {
  const isTree = name === 'policy';
  write(isTree ? join('outputs', name, 'model') : join('outputs', name), text);
  return { name, path: `outputs/${name}`, sealed: name.startsWith('sealed/') };
});
const summary = { reward_mean: 0.5 };
write('result.json', JSON.stringify({ version: 1, status: 'ok', message: '', outputs, summary }));
process.exit(0);

function write(path: string, content: string): void {
  const whole = join(folder, path);
  if (!existsSync(dirname(whole))) mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(`${whole}.tmp`, content);
  renameSync(`${whole}.tmp`, whole);
}
