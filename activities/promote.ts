// The test: reads the sealed results of the one challenger and the incumbent, and lets it through or not.
import { draft } from '../core/drafts.ts';
import { decidePromotion } from '../core/gate/verdict.ts';
import type { GateVerdict, Judged, Screened, TrainedBranch } from '../core/generation.ts';
import { output } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { readSealedRows } from './shared/sealed-rows.ts';

export interface PromoteRequest {
  readonly generation: Judged;
  readonly screened: Pick<Screened, 'challenger'>;
  readonly challenger: Pick<TrainedBranch, 'candidate'> | null;
  /** Outputs of `evaluate.gate`; null when no branch met the test. */
  readonly tested: Readonly<Record<string, ArtifactRef>> | null;
}

export interface Promotion {
  readonly verdict: GateVerdict | null;
  readonly drafts: readonly LedgerDraft[];
}

export const makePromote =
  (portsOf: PortsOf) =>
  async ({
    generation: input,
    screened,
    challenger,
    tested,
  }: PromoteRequest): Promise<Promotion> => {
    if (screened.challenger === null || challenger === null || tested === null)
      return { verdict: null, drafts: [] };
    const { scope, config, epoch, generation, incumbent } = input;
    const { branch, test, alpha } = screened.challenger;
    const results = [output(tested, 'sealed/promotion'), output(tested, 'sealed/categories')];
    const rows = await readSealedRows(portsOf(scope).sealedAnalytics, results);
    const {
      promotion_tasks: tasks,
      promotion_samples: samples,
      category_tasks: categoryTasks,
    } = config.evaluation;
    const { candidate } = challenger;
    const decided = decidePromotion({
      test,
      alpha,
      delta0: config.gate.delta0,
      plan: { tasks, samples, categoryTasks },
      challenger: {
        epoch: epoch.digest,
        policySha256: candidate.policy.sha256,
        recipeSha256: candidate.recipe.sha256,
      },
      incumbent: {
        epoch: epoch.digest,
        policySha256: incumbent.policy.sha256,
        recipeSha256: incumbent.recipe.sha256,
      },
      rows,
      conditionalCategories: config.gate.conditional_categories,
      lostBefore: incumbent.conditional,
    });
    const { verdict, guard, why, difference, conditional } = decided;
    return {
      verdict: { branch, verdict, guard, why, conditional },
      drafts: [
        {
          ...draft('gate-verdict', generation, {
            test,
            alpha,
            branch,
            verdict,
            guard,
            why,
            difference,
            conditional: [...conditional],
            results,
          }),
          by: 'gate',
        },
      ],
    };
  };
