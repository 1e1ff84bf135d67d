// Reads the evidence of a generation (or of one branch) with the harness and names the one bottleneck.
import { draft } from '../core/drafts.ts';
import type { CampaignScope, Evidence } from '../core/generation.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import { harnessSchema, healthReportSchema } from '../core/schemas/harness.ts';
import { finishStep } from './shared/finish-step.ts';
import { readMemory } from './shared/stored-memory.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Store } from './ports/store.ts';
import { readHealth } from './reading/read-health.ts';
import type { EvidenceSets } from './reading/trajectory-tables.ts';
import { readJson, storeJson } from './shared/store-json.ts';

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
  /** The control of the generation: what every other branch is compared with; null for all else. */
  readonly control: { readonly health: ArtifactRef; readonly diag: ArtifactRef } | null;
  /** Categories that the incumbent has lost; none for a branch. */
  readonly lost: readonly string[];
  /** Of decided generations: what `prev`, `prev2`, `first` and `t_prev` read. For a branch null. */
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
      const { control } = request;
      const { past } = await readMemory(open, request.memory);
      const before = control === null ? past.map(({ health }) => health) : [control.health];
      const previous = await Promise.all(
        before.map(async (health) => readJson(open, health, healthReportSchema)),
      );
      const report = await readHealth(analytics, {
        harness: await readJson(open, request.harness, harnessSchema),
        generation: request.generation,
        sets: setsOf(request.evidence, control === null ? past : [{ evidence: control }]),
        previous,
        lost: request.lost,
      });
      return { outputs: { health: await storeJson(open, report) }, summary: {} };
    });
    const { health } = manifest.outputs;
    if (health === undefined) throw new RangeError('a diagnose manifest names no health report');
    return { health, entry: await storeEntry(open, request, health) };
  };

/** A branch has no TRAIN set, and neither has what it is compared with. */
export function setsOf(
  { train, diag, labels, steps }: DiagnoseRequest['evidence'],
  past: readonly { readonly evidence: Pick<Evidence, 'diag'> & Partial<Evidence> }[],
): EvidenceSets {
  const before = past.at(-1)?.evidence;
  const previous =
    before && (train === null || !before.train ? [before.diag] : [before.train, before.diag]);
  return {
    trajectories: train === null ? [diag] : [train, diag],
    previous: previous ?? null,
    labels,
    optimizerMetrics: steps,
  };
}

function stepOf(request: DiagnoseRequest) {
  const { generation, redo, trainerDigest, harness, evidence, memory, lost, control } = request;
  const inputs = {
    harness,
    ...evidence,
    memory,
    controlHealth: control?.health ?? null,
    controlDiag: control?.diag ?? null,
  };
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
