// The test: reads the sealed results of the challenger and the incumbent, and promotes the challenger or not. The first
// verdict on a test counts, whoever asks and whatever a later attempt plays.
import type { AncestorRecords } from '../core/clean-ancestors.ts';
import { draft } from '../core/drafts.ts';
import { identityOf } from '../core/gate/comparable.ts';
import { decideTest } from '../core/gate/register.ts';
import { INCUMBENT } from '../core/gate/rows.ts';
import type { PromotionDecision } from '../core/gate/verdict.ts';
import type { Challenger, GateVerdict } from '../core/generation.ts';
import { gateResults } from '../core/plan.ts';
import { splitVerdict } from '../core/sealed-figures.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';
import type { SealedResult } from '../core/schemas/trajectory.ts';
import type { Analytics } from './ports/analytics.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { findAncestors, readCategoryScores } from './shared/read-ancestors.ts';
import { readVerdict, recordVerdict } from './shared/register.ts';
import { sealFigures } from './shared/sealed-figures.ts';
import { readSealedRows } from './shared/sealed-rows.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';

export interface PromoteRequest extends StepRequest {
  readonly challenger: Challenger;
  /** Outputs of `evaluate.gate`; empty if another campaign reserved the test and has no verdict. */
  readonly gate: Readonly<Record<string, ArtifactRef>>;
}

export interface Promotion {
  readonly verdict: GateVerdict;
  readonly entry: LedgerDraft;
}

export const makePromote =
  (portsOf: PortsOf) =>
  async (request: PromoteRequest): Promise<Promotion> => {
    const { ports, context } = await openStep(portsOf, request);
    const { challenger } = request;
    const { branch, test, testOfCampaign, reservedBy, alpha } = challenger;
    const { open } = ports.stores;
    const registered = { family: context.epoch.family, test };
    const ancestors = await findAncestors(open, request.scope.campaign, context);
    const decide = async (results: readonly ArtifactRef[]) =>
      decided(ports.sealedAnalytics, context, challenger, ancestors, results);
    const known = await readVerdict(open, registered);
    let results = known?.results ?? gateResults(request.gate);
    let decision = await decide(results);
    if (known === null && results.length > 0) {
      const { verdict, guard } = decision;
      const first = await recordVerdict(open, {
        version: 1,
        ...registered,
        verdict,
        guard,
        results,
      });
      if (first.results !== results) {
        ({ results } = first);
        decision = await decide(results);
      }
    }
    const { verdict, guard, lostCategories, rows } = decision;
    const { why, findings } = splitVerdict(branch, decision, results.length > 0);
    const figures = await sealFigures(ports.stores, { of: 'gate-verdict', rows, findings });
    const entry = draft('gate-verdict', context.generation, {
      test,
      alpha,
      branch,
      verdict,
      guard,
      why,
      lostCategories: [...lostCategories],
      results,
      figures,
    });
    const numbers = { test, testOfCampaign, reservedBy };
    return {
      verdict: { branch, verdict, guard, why, test: numbers, lostCategories },
      entry: { ...entry, by: 'gate' },
    };
  };

async function decided(
  sealedAnalytics: Analytics,
  { config, epoch, incumbent }: GenerationContext,
  { test, alpha, candidate, reservedBy }: Challenger,
  ancestors: readonly AncestorRecords[],
  results: readonly ArtifactRef[],
): Promise<PromotionDecision & { readonly rows: readonly SealedResult[] }> {
  const { promotion_tasks, promotion_samples, category_tasks } = config.evaluation;
  const isPlayed = results.length > 0;
  const rows = isPlayed ? await readSealedRows(sealedAnalytics, results) : [];
  const input = {
    test,
    alpha,
    delta0: config.gate.delta0,
    plan: { tasks: promotion_tasks, samples: promotion_samples, categoryTasks: category_tasks },
    challenger: identityOf(rows, 'challenger', epoch.digest, candidate),
    incumbent: identityOf(rows, INCUMBENT, epoch.digest, incumbent),
    rows,
    conditionalCategories: config.gate.conditional_categories,
    lostBefore: incumbent.lostCategories,
    ancestors: await readCategoryScores(sealedAnalytics, ancestors),
  };
  return { ...decideTest(input, isPlayed ? null : reservedBy), rows };
}
