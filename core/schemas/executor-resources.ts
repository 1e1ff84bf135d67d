// Keys that several kinds of executor share: what a job asks for, and where EvoTrainer is on the machines that run jobs.
import { z } from 'zod';

export const amountSchema = z.number().gt(0).nullable().default(null);

/** What one job needs, or what one place has; null = not said. */
export const resourcesSchema = z.strictObject({
  gpus: z.int().min(0).default(0).describe('GPUs of one job'),
  memory_gb: amountSchema.describe('main memory of one job'),
  hours: amountSchema.describe('longest time of one job'),
});
export type Resources = z.infer<typeof resourcesSchema>;

export const offersSchema = z.strictObject({
  gpus: z.int().min(0).nullable().default(null),
  memory_gb: amountSchema,
  hours: amountSchema,
});
export type Offers = z.infer<typeof offersSchema>;

export const stallLimitSchema = z
  .number()
  .gt(0)
  .default(300)
  .describe('a job without progress for so long is lost');

/** `where` completes "EvoTrainer, set up, …"; a jobs folder is a path `on` some disk, as in `example`. */
export const installationKeys = (where: string, on: string, example: string) => ({
  folder: z
    .string()
    .startsWith('/', 'an absolute path, as in /opt/evotrainer')
    .describe(`EvoTrainer, set up, ${where}`),
  jobs_folder: z
    .string()
    .startsWith('/', `an absolute path ${on}, as in ${example}`)
    .nullable()
    .default(null)
    .describe("jobs' working folders there; null = .evo/jobs below `folder`"),
  node: z
    .string()
    .min(1)
    .default('node')
    .describe('Node >= 22.18 there, where set-up did not bring one'),
});

/** Hosts of this kind are Spot machines that say when they are taken back. */
export const spotNoticeSchema = z
  .enum(['ec2'])
  .nullable()
  .default(null)
  .describe('ec2 = jobs write a checkpoint when EC2 says that it takes their machine back');

/** What `who` cannot give, in sentences. */
export function findShort(needs: Resources, offers: Offers, who: string): string[] {
  const names = ['gpus', 'memory_gb', 'hours'] as const;
  return names.flatMap((name) => {
    const [need, offer] = [needs[name], offers[name]];
    if (need === null || offer === null || need <= offer) return [];
    return [`a job asks for ${name}: ${need}, and ${who} gives ${offer} at most`];
  });
}
