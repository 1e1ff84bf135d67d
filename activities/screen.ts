// Guards 1–3 on every branch; picks the challenger and reserves its test before anything of that test is read.
import { draft } from '../core/drafts.ts';
import { visibleTrueGap } from '../core/gate/integrity.ts';
import { planReservation } from '../core/gate/spending.ts';
import { decideScreen, type ScreenCandidate, type ScreenInput } from '../core/gate/verdict.ts';
import type { Screenable, Judged, Screened } from '../core/generation.ts';
import { reservationsOf } from '../core/ledger.ts';
import { INCUMBENT, tasksOf } from '../core/gate/rows.ts';
import { output, screenPlan } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Candidate } from '../core/schemas/ledger-entry.ts';
import { appendToLedger } from './append-ledger.ts';
import { readLedgerEnd } from './shared/ledger-end.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { runDetectors } from './revising/run-detectors.ts';
import { readSealedRows } from './shared/sealed-rows.ts';

export interface ScreenRequest {
  readonly generation: Judged;
  readonly branches: readonly Screenable[];
  /** Outputs of `evaluate.select`. */
  readonly measured: Readonly<Record<string, ArtifactRef>>;
  readonly harness: ArtifactRef;
  readonly incumbentDiag: ArtifactRef;
}

export const makeScreen =
  (portsOf: PortsOf) =>
  async (request: ScreenRequest): Promise<Screened> => {
    const { scope, generation } = request.generation;
    const ports = portsOf(scope);
    const results = [
      output(request.measured, 'sealed/select'),
      output(request.measured, 'sealed/canary'),
    ];
    const decision = decideScreen(await screenInput(ports, request, results));
    const challenger = request.branches.find(({ branch }) => branch === decision.challenger);
    await appendToLedger(ports, scope.campaign, [
      draft('screened', generation, {
        branches: decision.branches.map(({ branch, verdict, guard, why }) => ({
          branch,
          verdict,
          guard,
          why,
        })),
        challenger: decision.challenger,
        incumbentSelectMean: decision.selectMeans[INCUMBENT] ?? null,
        results,
      }),
    ]);
    return {
      branches: decision.branches,
      incumbentSelectMean: decision.selectMeans['incumbent'] ?? null,
      challenger: challenger?.status === 'ok' ? await reserve(ports, request, challenger) : null,
    };
  };

async function screenInput(
  ports: CampaignPorts,
  request: ScreenRequest,
  results: readonly ArtifactRef[],
): Promise<ScreenInput> {
  const { config, epoch, incumbent } = request.generation;
  const [rows, warmRows, detectors] = await Promise.all([
    readSealedRows(ports.sealedAnalytics, results),
    readSealedRows(ports.sealedAnalytics, [epoch.warmStartResults.select]),
    runDetectors(ports, {
      harness: request.harness,
      sets: {
        incumbent: request.incumbentDiag,
        ...Object.fromEntries(
          request.branches.flatMap((one) =>
            one.status === 'ok' ? [[one.branch, one.artifacts.diag]] : [],
          ),
        ),
      },
    }),
  ]);
  return {
    domain: config.domain,
    plan: screenPlan(config),
    incumbent: identity(epoch.digest, incumbent),
    branches: request.branches.map((one) => candidateOf(epoch.digest, one)),
    selectRows: rows.filter(({ stream }) => stream === 'select'),
    canaryRows: rows.filter(({ stream }) => stream === 'canary'),
    warmStartGap: visibleTrueGap(tasksOf(warmRows, INCUMBENT)),
    detectors,
  };
}

const identity = (epoch: string, { policy, recipe }: Candidate) => ({
  epoch,
  policySha256: policy.sha256,
  recipeSha256: recipe.sha256,
});

/** A branch without a checkpoint has no digests; its failure speaks first. */
function candidateOf(epoch: string, result: Screenable): ScreenCandidate {
  return result.status === 'ok'
    ? { branch: result.branch, failure: null, ...identity(epoch, result.candidate) }
    : { branch: result.branch, failure: result.kind, epoch, policySha256: '', recipeSha256: '' };
}

async function reserve(
  ports: CampaignPorts,
  { generation: { scope, config, generation, epoch } }: ScreenRequest,
  challenger: Extract<Screenable, { status: 'ok' }>,
): Promise<NonNullable<Screened['challenger']>> {
  // Tests of an epoch count up: its last one tells the next, and this generation's own lie behind it.
  const records = await readLedgerEnd(
    ports.stores.open,
    scope.campaign,
    ({ entry: { draft: past } }) =>
      past.kind === 'calibrated' || (past.kind === 'test-reserved' && past.generation < generation),
  );
  const challengerPolicy = challenger.candidate.policy.sha256;
  const challengerRecipe = challenger.candidate.recipe.sha256;
  const { reservation } = planReservation({
    reservations: reservationsOf(records, epoch.digest, epoch.digest),
    generation,
    challengerPolicy,
    challengerRecipe,
    alpha: config.gate.alpha,
  });
  const { test, alpha } = reservation;
  await appendToLedger(ports, scope.campaign, [
    draft('test-reserved', generation, { test, alpha, challengerPolicy, challengerRecipe }),
  ]);
  return { branch: challenger.branch, test, alpha };
}
