// Reads the evidence of a generation (or of one branch) with the harness and names the one bottleneck.
import { draft } from '../core/drafts.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import type { PastGeneration } from '../core/schemas/ledger-entry.ts';
import { finishStep } from './finish-step.ts';
import { readMemory } from './memory.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Store } from './ports/store.ts';
import { readHealth } from './read-health.ts';
import type { EvidenceSets } from './sets.ts';
import { readJson, storeJson } from './store-json.ts';

export interface DiagnoseRequest {
  readonly scope: CampaignScope;
  readonly trainerDigest: string;
  readonly generation: number;
  readonly redo: number;
  readonly harness: ArtifactRef;
  /** A branch has no TRAIN set; what made the warm start left no steps. */
  readonly evidence: {
    readonly train: ArtifactRef | null;
    readonly diag: ArtifactRef;
    readonly labels: ArtifactRef | null;
    readonly steps: ArtifactRef | null;
  };
  /** Categories that the incumbent has lost; none for a branch. */
  readonly lost: readonly string[];
  /** Of decided generations: what `prev`, `prev2`, `first` and `t_prev` read. A branch looks back to nothing. */
  readonly memory: ArtifactRef | null;
}

export interface Diagnosis {
  readonly health: ArtifactRef;
  /** The ledger entry, stored; null for a branch, whose diagnosis is no decision. */
  readonly entry: ArtifactRef | null;
}

/** Idempotent by step key. */
export const makeDiagnose =
  (portsOf: PortsOf) =>
  async (request: DiagnoseRequest): Promise<Diagnosis> => {
    const { stores, analytics } = portsOf(request.scope);
    const { open } = stores;
    const manifest = await finishStep(open, stepOf(request), async () => {
      const { past } = await readMemory(open, request.memory);
      const previous = await Promise.all(
        past.map(async ({ health }) => readJson(open, health, healthReportSchema)),
      );
      const report = await readHealth(analytics, {
        harness: await readJson(open, request.harness, harnessSchema),
        generation: request.generation,
        sets: setsOf(request.evidence, past),
        previous,
        lost: request.lost,
      });
      return { outputs: { health: await storeJson(open, report) }, summary: {} };
    });
    const { health } = manifest.outputs;
    if (health === undefined) throw new RangeError('a diagnose manifest names no health report');
    return { health, entry: await storeEntry(open, request, health) };
  };

/** A branch (no TRAIN set) is compared with the incumbent's DIAG set alone. */
export function setsOf(
  { train, diag, labels, steps }: DiagnoseRequest['evidence'],
  past: readonly Pick<PastGeneration, 'evidence'>[],
): EvidenceSets {
  const before = past.at(-1)?.evidence;
  const previous = before && (train === null ? [before.diag] : [before.train, before.diag]);
  return {
    trajectories: train === null ? [diag] : [train, diag],
    previous: previous ?? null,
    labels,
    steps,
  };
}

function stepOf(request: DiagnoseRequest) {
  const { generation, redo, trainerDigest, harness, evidence, memory, lost } = request;
  const inputs = { harness, ...evidence, memory };
  return {
    step: 'diagnose',
    spec: { generation, lost },
    inputs: Object.fromEntries(
      Object.entries(inputs).flatMap(([name, ref]) => (ref === null ? [] : [[name, ref]])),
    ),
    trainerDigest,
    redo,
  };
}

async function storeEntry(
  store: Store,
  { generation, evidence: { train, diag, labels } }: DiagnoseRequest,
  health: ArtifactRef,
): Promise<ArtifactRef | null> {
  if (train === null || labels === null) return null;
  const { bottleneck, rivals } = await readJson(store, health, healthReportSchema);
  const body = { health, bottleneck, rivals, evidence: [train, diag, labels] };
  return storeJson(store, draft('diagnosed', generation, body));
}
