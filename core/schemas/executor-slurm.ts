// A Slurm cluster, used through its own programs, here or on a login host.
import { z } from 'zod';
import {
  installationKeys,
  resourcesSchema,
  spotNoticeSchema,
  stallLimitSchema,
} from './executor-resources.ts';

const wordSchema = z
  .string()
  .regex(/^[^-\s,]\S*$/, 'a name, without spaces')
  .nullable()
  .default(null);

/** Options of sbatch that users may not set, each with the alternative or the reason. */
const OURS: Readonly<Record<string, string>> = {
  account: 'set `account`',
  array: 'one claim is one job',
  chdir: 'a job works in its own folder',
  clusters: 'jobs are searched for on one cluster; set `login` to its login host',
  constraint: 'set `constraint`',
  dependency: 'two jobs of one claim must not run at once',
  error: 'the output of a job is in the store',
  gpus: 'set `resources.gpus`',
  gres: 'set `resources.gpus` and `gpu_type`',
  hold: 'a held job would never start',
  'job-name': 'jobs are found by the names that EvoTrainer gives them',
  mem: 'set `resources.memory_gb`',
  'no-requeue': 'it is set already',
  nodes: 'a job runs on one node',
  ntasks: 'a job is one task',
  output: 'the output of a job is in the store',
  parsable: 'it is set already',
  partition: 'set `partition`',
  qos: 'set `qos`',
  requeue: 'the next claim continues from the store instead',
  signal: 'it is set already',
  'test-only': 'no job would run',
  time: 'set `resources.hours`',
  wait: 'sbatch must return at once',
  wrap: 'EvoTrainer provides the script',
};

const optionSchema = z
  .string()
  .regex(/^--[a-z][a-z-]*(=\S.*)?$/, 'one long option of sbatch, as in --cpus-per-task=8')
  .superRefine((option, context) => {
    const name = option.slice(2).split('=')[0] ?? '';
    const cure = OURS[name];
    if (cure === undefined) return;
    context.addIssue({ code: 'custom', message: `--${name} is not allowed here: ${cure}` });
  });

const loginSchema = z.strictObject({
  address: z
    .string()
    .regex(/^[^-\s]\S*$/, 'an address or a Host of your ssh config')
    .describe('address, or Host of your ssh config'),
  port: z.int().min(1).max(65535).nullable().default(null).describe("null = your ssh config's"),
  user: wordSchema.describe("null = your ssh config's"),
  identity_file: z.string().min(1).nullable().default(null).describe("null = your ssh config's"),
  known_hosts: z.string().min(1).nullable().default(null).describe("null = ssh's own files"),
});

export const slurmSchema = z
  .strictObject({
    type: z.literal('slurm'),
    partition: wordSchema.describe("null = the cluster's default"),
    account: wordSchema.describe('account that jobs are charged to'),
    qos: wordSchema,
    constraint: wordSchema.describe('features that the node must have'),
    gpu_type: wordSchema.describe('GPU type as named in Slurm, e.g. a100; null = any'),
    options: z.array(optionSchema).default([]).describe('additional long options of sbatch'),
    ...installationKeys('on all nodes', 'on each node', '/local/scratch/evo-jobs'),
    shared_folder: z
      .union([
        z.string().startsWith('/', 'an absolute path, as in /home/me/evo-launches'),
        z.literal('none'),
      ])
      .nullable()
      .default(null)
      .describe(
        'folder for launch data, on a disk that the nodes share with the host of sbatch; ' +
          'null = .evo/launches under `folder`; none = the batch script contains the data',
      ),
    login: loginSchema
      .nullable()
      .default(null)
      .describe('host that runs sbatch, squeue and scancel; null = this one'),
    resources: resourcesSchema.prefault({}).describe('resources of a job'),
    spot_notice: spotNoticeSchema,
    stall_limit_s: stallLimitSchema,
  })
  .refine(({ gpu_type: type, resources }) => type === null || resources.gpus > 0, {
    path: ['gpu_type'],
    message: 'jobs ask for no GPU: set `resources.gpus`, or remove `gpu_type`',
  });
export type SlurmConfig = z.infer<typeof slurmSchema>;
