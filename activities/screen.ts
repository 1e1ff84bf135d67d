// Guards 1 to 3 on every branch; picks the challenger and reserves its test before anything of that test is read.
import { draft } from '../core/drafts.ts';
import { visibleTrueGap } from '../core/gate/integrity.ts';
import { INCUMBENT, tasksOf } from '../core/gate/rows.ts';
import { planReservation } from '../core/gate/spending.ts';
import { decideScreen, type ScreenCandidate, type ScreenInput } from '../core/gate/verdict.ts';
import {
  type BranchOutcome,
  type Challenger,
  isTrained,
  type Screening,
  type TrainedBranch,
} from '../core/generation.ts';
import { reservationsOf } from '../core/ledger.ts';
import { output, screenPlan } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { Candidate } from '../core/schemas/ledger-entry.ts';
import { appendToLedger } from './append-ledger.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import { runDetectors } from './revising/run-detectors.ts';
import { readLedgerEnd } from './shared/ledger-end.ts';
import { readSealedRows } from './shared/sealed-rows.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';

export interface ScreenRequest extends StepRequest {
  readonly branches: readonly BranchOutcome[];
  /** Outputs of `evaluate.select`. */
  readonly select: Readonly<Record<string, ArtifactRef>>;
  readonly harness: ArtifactRef;
  /** The incumbent's DIAG set. */
  readonly diag: ArtifactRef;
}

export const makeScreen =
  (portsOf: PortsOf) =>
  async (request: ScreenRequest): Promise<Screening> => {
    const { ports, context } = await openStep(portsOf, request);
    const { campaign } = request.scope;
    const results = [
      output(request.select, 'sealed/select'),
      output(request.select, 'sealed/canary'),
    ];
    const decision = decideScreen(await screenInput(ports, context, request, results));
    const challenger = request.branches
      .filter(isTrained)
      .find(({ branch }) => branch === decision.challenger);
    await appendToLedger(ports, campaign, [
      draft('screened', context.generation, {
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
      incumbentSelectMean: decision.selectMeans[INCUMBENT] ?? null,
      challenger:
        challenger === undefined ? null : await reserve(ports, context, campaign, challenger),
    };
  };

async function screenInput(
  ports: CampaignPorts,
  { config, epoch, incumbent }: GenerationContext,
  { branches, harness, diag }: ScreenRequest,
  results: readonly ArtifactRef[],
): Promise<ScreenInput> {
  const diagSets = branches
    .filter(isTrained)
    .map(({ branch, artifacts }) => [branch, artifacts.diag] as const);
  const [rows, warmRows, detectors] = await Promise.all([
    readSealedRows(ports.sealedAnalytics, results),
    readSealedRows(ports.sealedAnalytics, [epoch.warmStartResults.select]),
    runDetectors(ports, {
      harness,
      sets: { incumbent: diag, ...Object.fromEntries(diagSets) },
    }),
  ]);
  return {
    domain: config.domain,
    plan: screenPlan(config),
    incumbent: identity(epoch.digest, incumbent),
    branches: branches.map((outcome) => candidateOf(epoch.digest, outcome)),
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

/** A branch without a checkpoint has no digests; its failure is checked first. */
function candidateOf(epoch: string, outcome: BranchOutcome): ScreenCandidate {
  const { branch } = outcome;
  return outcome.status === 'ok'
    ? { branch, failure: null, ...identity(epoch, outcome.candidate) }
    : { branch, failure: outcome.kind, epoch, policySha256: '', recipeSha256: '' };
}

async function reserve(
  ports: CampaignPorts,
  { config, generation, epoch }: GenerationContext,
  campaign: string,
  challenger: TrainedBranch,
): Promise<Challenger> {
  // Tests of an epoch count up, so the last one gives the next number; this generation's own come after it.
  const records = await readLedgerEnd(
    ports.stores.open,
    campaign,
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
  await appendToLedger(ports, campaign, [
    draft('test-reserved', generation, { test, alpha, challengerPolicy, challengerRecipe }),
  ]);
  return { ...challenger, test, alpha };
}
