// A Slurm cluster, asked by its own programs, here or on a login host.
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

/** What we say to sbatch ourselves, and why nobody else may. */
const OURS: Readonly<Record<string, string>> = {
  account: 'set `account`',
  array: 'one claim is one job',
  chdir: 'a job works in its own folder',
  clusters: 'jobs are looked for on one cluster; name its login host as `login`',
  constraint: 'set `constraint`',
  dependency: 'two jobs of one claim must not run at once',
  error: 'what a job prints is in the store',
  gpus: 'set `resources.gpus`',
  gres: 'set `resources.gpus` and `gpu_type`',
  hold: 'a job that is held is never started',
  'job-name': 'jobs are found by their names',
  mem: 'set `resources.memory_gb`',
  'no-requeue': 'it is set already',
  nodes: 'a job runs on one node',
  ntasks: 'a job is one task',
  output: 'what a job prints is in the store',
  parsable: 'it is set already',
  partition: 'set `partition`',
  qos: 'set `qos`',
  requeue: 'the next claim goes on from the store instead',
  signal: 'a job is told of its end already',
  'test-only': 'no job would run',
  time: 'set `resources.hours`',
  wait: 'nobody would wait',
  wrap: 'a job is a script of ours',
};

const optionSchema = z
  .string()
  .regex(/^--[a-z][a-z-]*(=\S.*)?$/, 'one long option of sbatch, as in --cpus-per-task=8')
  .superRefine((option, context) => {
    const name = option.slice(2).split('=')[0] ?? '';
    const cure = OURS[name];
    if (cure === undefined) return;
    context.addIssue({ code: 'custom', message: `--${name} cannot be given here: ${cure}` });
  });

const loginSchema = z.strictObject({
  address: z
    .string()
    .regex(/^[^-\s]\S*$/, 'an address or a Host of your ssh config')
    .describe('address, or Host of your ssh config'),
  port: z.int().min(1).max(65535).nullable().default(null).describe("null = your ssh config's"),
  user: wordSchema.describe("null = your ssh config's"),
  identity_file: z.string().min(1).nullable().default(null).describe("null = your ssh config's"),
  known_hosts: z.string().min(1).nullable().default(null).describe("null = ssh's own ones"),
});

export const slurmSchema = z
  .strictObject({
    type: z.literal('slurm'),
    partition: wordSchema.describe("null = the cluster's default"),
    account: wordSchema.describe('whom jobs are charged to'),
    qos: wordSchema,
    constraint: wordSchema.describe('features that the node must have'),
    gpu_type: wordSchema.describe('as Slurm calls it, e.g. a100; null = any'),
    options: z.array(optionSchema).default([]).describe('further long options of sbatch'),
    ...installationKeys('on all nodes', 'on each node', '/local/scratch/evo-jobs'),
    shared_folder: z
      .union([
        z.string().startsWith('/', 'an absolute path, as in /home/me/evo-launches'),
        z.literal('none'),
      ])
      .nullable()
      .default(null)
      .describe(
        'where nodes find what a job is told, on a disk that they share with the host of sbatch; ' +
          'null = .evo/launches below `folder`; none = it goes with the batch script',
      ),
    login: loginSchema
      .nullable()
      .default(null)
      .describe('host that runs sbatch, squeue and scancel; null = this one'),
    resources: resourcesSchema.prefault({}).describe('what a job asks for'),
    spot_notice: spotNoticeSchema,
    stall_limit_s: stallLimitSchema,
  })
  .refine(({ gpu_type: type, resources }) => type === null || resources.gpus > 0, {
    path: ['gpu_type'],
    message: 'no job asks for a GPU: set `resources.gpus`, or leave `gpu_type` out',
  });
export type SlurmConfig = z.infer<typeof slurmSchema>;
