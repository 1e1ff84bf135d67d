// Evaluates expressions in the trainer: trainer/tests/untrusted.py.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const saidSchema = z.strictObject({
  answers: z.array(z.union([z.string(), z.strictObject({ probe: z.array(z.number()) })])),
  seconds: z.array(z.number()),
  peak_mb: z.number(),
});

export type TrainerSaid = z.infer<typeof saidSchema>;

/** The values or the refusal of each expression within its seconds. Without `facts`, the only row is one of nulls. */
export async function askTrainer(
  expressions: readonly (readonly [sql: string, seconds: number])[],
  { facts = null, memoryMb = 1024 }: { facts?: string | null; memoryMb?: number } = {},
): Promise<TrainerSaid> {
  const trainer = fileURLToPath(new URL('../../../trainer/', import.meta.url));
  const child = spawn(join(trainer, '.venv/bin/python'), ['-m', 'tests.untrusted'], {
    cwd: trainer,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify({ facts, memory_mb: memoryMb, expressions }));
  return saidSchema.parse(JSON.parse(await text(child.stdout)));
}
