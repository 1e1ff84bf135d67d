// Jobs without Temporal: a folder with job.json, one process in it, its result. For benches and the micro profile.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import { type Job, jobResultSchema, jobSchema } from '../../core/schemas/job.ts';
import { toolPath } from '../../infra/machine/tools.ts';
import { trainerDigest } from '../../infra/trainer/trainer-digest.ts';

export interface PlainJob {
  readonly kind: Job['kind'];
  readonly spec: unknown;
  readonly features?: Job['features'];
  readonly generation?: number;
  /** Files and folders to copy to inputs/, by their place there. */
  readonly inputs?: Readonly<Record<string, string>>;
}

export interface PlainResult {
  readonly folder: string;
  readonly summary: Readonly<Record<string, unknown>>;
  /** Of the process that brought the result. */
  readonly seconds: number;
}

/** Where jobs run: a trainer's folder, fixed by its digest, and one folder for what they leave. */
export interface Workshop {
  readonly trainer: string;
  readonly digest: string;
  readonly secret: string;
  readonly root: string;
}

/** Makes the folder, with a gate secret that anyone can know: nothing in it guards a campaign. */
export async function openWorkshop(trainer: string, root: string): Promise<Workshop> {
  mkdirSync(root, { recursive: true });
  const secret = join(root, 'gate-secret');
  writeFileSync(secret, '5e'.repeat(32));
  return { trainer, digest: await trainerDigest(trainer), secret, root };
}

/**
 * Runs the job in `root/name` to its end, or takes the result that the very same job left there. An interrupted one
 * goes on from its newest checkpoint; another job's folder is made anew. Throws with the trainer's own message.
 */
export async function runJob(
  workshop: Workshop,
  config: Pick<CampaignConfig, 'domain' | 'environment' | 'seed'>,
  name: string,
  plan: PlainJob,
): Promise<PlainResult> {
  const folder = stageJob(workshop, config, name, plan);
  if (resultOf(folder)?.status !== 'ok') {
    rmSync(join(folder, 'result.json'), { force: true });
    const began = Date.now();
    await spawnTrainer(workshop, folder);
    writeFileSync(join(folder, 'seconds.json'), String((Date.now() - began) / 1000));
  }
  const result = resultOf(folder);
  if (result?.status !== 'ok') {
    throw new Error(`${folder}: ${result?.status ?? 'no result'}: ${result?.message ?? ''}`);
  }
  const seconds = z.number().parse(JSON.parse(readFileSync(join(folder, 'seconds.json'), 'utf8')));
  return { folder, summary: result.summary, seconds };
}

/** Makes `root/name` ready for the job, and leaves it alone where it is that job's already. */
export function stageJob(
  workshop: Workshop,
  config: Pick<CampaignConfig, 'domain' | 'environment' | 'seed'>,
  name: string,
  plan: PlainJob,
): string {
  const folder = join(workshop.root, name);
  const text = jobText(workshop, config, plan);
  const asked = join(folder, 'job.json');
  if (!existsSync(asked) || readFileSync(asked, 'utf8') !== text) stage(folder, text, plan);
  return folder;
}

function jobText(
  { digest }: Workshop,
  { domain, environment, seed }: Pick<CampaignConfig, 'domain' | 'environment' | 'seed'>,
  { kind, spec, features = [], generation = 1 }: PlainJob,
): string {
  const job = jobSchema.parse({
    version: 1,
    kind,
    domain,
    environment,
    trainer_digest: digest,
    seeds: { campaign: seed, generation, replicate: 0 },
    features,
    spec,
  });
  return JSON.stringify(job, null, 2);
}

function stage(folder: string, text: string, { inputs = {} }: PlainJob): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [place, source] of Object.entries(inputs)) {
    const target = join(folder, 'inputs', place);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(source, target, { recursive: true });
  }
  mkdirSync(folder, { recursive: true });
  // Last, so that a folder with a job has its inputs.
  writeFileSync(join(folder, 'job.json'), text);
}

/** Null where the trainer has not come to an end. */
function resultOf(folder: string): z.infer<typeof jobResultSchema> | null {
  const path = join(folder, 'result.json');
  return existsSync(path) ? jobResultSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

/** Dies with us: the trainer watches the pipe that is its standard input. */
async function spawnTrainer({ trainer, secret }: Workshop, folder: string): Promise<void> {
  const child = spawn(toolPath('python'), ['-m', 'evotrainer', folder], {
    cwd: trainer,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, EVO_PARENT_PIPE: '1', EVO_GATE_SECRET_FILE: secret },
  });
  let told = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told = (told + text).slice(-4000);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (status !== 0) throw new Error(`${folder}: the trainer ended with ${status}: ${told}`);
}

/** Runs at most `count` tasks at once, in the order in which they were asked for. */
export function makeSlots(count: number): <Value>(task: () => Promise<Value>) => Promise<Value> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
