// Asks whether the harness explained what happened; what a researcher offers is measured before it is let in.
import { z } from 'zod';
import type { CampaignScope } from '../core/generation.ts';
import { findGap } from '../core/harness/gap.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { type Definition, harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import type { PastGeneration } from '../core/schemas/ledger-entry.ts';
import { type DiagnoseRequest, setsOf } from './diagnose.ts';
import { finishStep } from './finish-step.ts';
import { readMemory } from './memory.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { readHealth } from './read-health.ts';
import { readJson, storeJson } from './store-json.ts';
import { tryRevision } from './try-revision.ts';

export interface ReviseRequest {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly generation: number;
  readonly redo: number;
  readonly harness: ArtifactRef;
  readonly health: ArtifactRef;
  readonly evidence: DiagnoseRequest['evidence'];
  readonly memory: ArtifactRef | null;
  /** Categories that the incumbent has lost. */
  readonly lost: readonly string[];
}

const summarySchema = z.strictObject({
  gap: z.string().nullable(),
  added: z.array(z.string()),
  retired: z.array(z.string()),
  rejected: z.array(z.strictObject({ name: z.string(), why: z.string() })),
  bottleneck: z.string().nullable(),
});

/** `harness` and `health` are those that propose reads; where nothing changed, the ones that came in. */
export type Revised = z.infer<typeof summarySchema> & {
  readonly harness: ArtifactRef;
  readonly health: ArtifactRef;
};

/** Idempotent by step key. */
export const makeRevise =
  (portsOf: PortsOf) =>
  async (request: ReviseRequest): Promise<Revised> => {
    const ports = portsOf(request.scope);
    const { generation, redo, trainerDigest } = request;
    const manifest = await finishStep(
      ports.stores.open,
      {
        step: 'revise',
        spec: { generation, lost: request.lost },
        inputs: inputsOf(request),
        trainerDigest,
        redo,
      },
      async () => compute(ports, request),
    );
    const { harness, health } = manifest.outputs;
    if (!harness || !health) throw new RangeError('a revise manifest names harness and health');
    return { harness, health, ...summarySchema.parse(manifest.summary) };
  };

function inputsOf(request: ReviseRequest): Record<string, ArtifactRef> {
  const { harness, health, memory, evidence } = request;
  const all = Object.entries({ harness, health, memory, ...evidence });
  return Object.fromEntries(all.flatMap(([name, ref]) => (ref === null ? [] : [[name, ref]])));
}

async function compute(ports: CampaignPorts, request: ReviseRequest) {
  const { open } = ports.stores;
  const harness = await readJson(open, request.harness, harnessSchema);
  const health = await readJson(open, request.health, healthReportSchema);
  const { past } = await readMemory(open, request.memory);
  const previous = await Promise.all(
    past.map(async (before) => readJson(open, before.health, healthReportSchema)),
  );
  const gap = findGap(health, previous.at(-1) ?? null);
  const { generation } = request;
  const sets = setsToTry(request, past);
  const revisions = await ports.researcher.revise({ generation, gap, health, harness });
  const added: Definition[] = [];
  const rejected: { name: string; why: string }[] = [];
  for (const { feature } of revisions) {
    const name = feature.head.name;
    const tried = await tryRevision(ports.analytics, feature, harness, sets);
    if ('why' in tried) rejected.push({ name, why: tried.why });
    else added.push(tried.definition);
  }
  const names = added.map(({ head }) => head.name);
  const outcome = { gap, added: names, retired: [], rejected };
  if (added.length === 0) {
    const { bottleneck } = health;
    const outputs = { harness: request.harness, health: request.health };
    return { outputs, summary: { ...outcome, bottleneck } };
  }
  const revised = { ...harness, definitions: [...harness.definitions, ...added] };
  // The bottleneck is named again, since h' counts from this generation's propose on.
  const report = await readHealth(ports.analytics, {
    harness: revised,
    generation,
    sets: setsOf(request.evidence, past),
    previous,
    lost: request.lost,
  });
  const outputs = {
    harness: await storeJson(open, revised),
    health: await storeJson(open, report),
  };
  return { outputs, summary: { ...outcome, bottleneck: report.bottleneck } };
}

/** Labelled DIAG sets of the incumbent and of every branch of stored generations. */
const setsToTry = ({ evidence }: ReviseRequest, past: readonly PastGeneration[]) => [
  ...(evidence.labels === null ? [] : [{ diag: evidence.diag, labels: evidence.labels }]),
  ...past.flatMap(({ evidence: before, branches }) => [
    before,
    ...branches.map(({ diag, labels }) => ({ diag, labels })),
  ]),
];
