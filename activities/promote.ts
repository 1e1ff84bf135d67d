// The test: reads the sealed results of the challenger and the incumbent, and promotes the challenger or not.
import { draft } from '../core/drafts.ts';
import { decidePromotion } from '../core/gate/verdict.ts';
import type { Challenger, GateVerdict } from '../core/generation.ts';
import { output } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Candidate, LedgerDraft } from '../core/schemas/ledger-entry.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import { readSealedRows } from './shared/sealed-rows.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';

export interface PromoteRequest extends StepRequest {
  readonly challenger: Challenger;
  /** Outputs of `evaluate.gate`. */
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
    const { config, epoch, generation, incumbent } = context;
    const { branch, test, alpha, candidate } = request.challenger;
    const results = [
      output(request.gate, 'sealed/promotion'),
      output(request.gate, 'sealed/categories'),
    ];
    const { promotion_tasks, promotion_samples, category_tasks } = config.evaluation;
    const identity = ({ policy, recipe }: Candidate) => ({
      epoch: epoch.digest,
      policySha256: policy.sha256,
      recipeSha256: recipe.sha256,
    });
    const { verdict, guard, why, difference, lostCategories } = decidePromotion({
      test,
      alpha,
      delta0: config.gate.delta0,
      plan: {
        tasks: promotion_tasks,
        samples: promotion_samples,
        categoryTasks: category_tasks,
      },
      challenger: identity(candidate),
      incumbent: identity(incumbent),
      rows: await readSealedRows(ports.sealedAnalytics, results),
      conditionalCategories: config.gate.conditional_categories,
      lostBefore: incumbent.lostCategories,
    });
    const entry = draft('gate-verdict', generation, {
      test,
      alpha,
      branch,
      verdict,
      guard,
      why,
      difference,
      lostCategories: [...lostCategories],
      results,
    });
    return {
      verdict: { branch, verdict, guard, why, lostCategories },
      entry: { ...entry, by: 'gate' },
    };
  };
