import type { Backtested } from '../activities/backtest.ts';
import type { Proposals } from '../activities/propose.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { draft, trainedDrafts } from '../core/drafts.ts';
import type {
  BranchResult,
  GenerationInput,
  GenerationResult,
  TrainedBranch,
} from '../core/generation.ts';
import { evidenceOf, output, planGate, planLabel, planRollout, planSelect } from '../core/plan.ts';
import { asFailure } from './failures.ts';
import { OpenGeneration } from './open-generation.ts';
import { quickly } from './proxies.ts';
import { requireJob } from './run-job.ts';

/** One pass of the loop. Each step is durable; what fails for good closes the generation as failed. */
export async function generationWorkflow(input: GenerationInput): Promise<GenerationResult> {
  const open = new OpenGeneration(input);
  try {
    return await play(input, open);
  } catch (error) {
    throw asFailure(error);
  }
}

async function play(input: GenerationInput, open: OpenGeneration): Promise<GenerationResult> {
  const { generation, redo, incumbent, incumbentSteps, skills, past } = input;
  const { place } = open;
  await open.show({ step: 'rollout' });
  const rolled = await requireJob(open.jobs, planRollout(input));
  const labelled = await requireJob(open.jobs, planLabel(input, output(rolled.outputs, 'diag')));
  const evidence = evidenceOf(rolled.outputs, labelled.outputs);
  const read = { ...evidence, steps: incumbentSteps };

  await open.enter('diagnose');
  const diagnosed = await quickly('diagnose').diagnose({
    ...place,
    redo: redo.diagnose ?? 0,
    harness: input.harness,
    evidence: read,
    past,
  });
  await open.enter('revise');
  const revised = await quickly('revise').revise({
    ...place,
    redo: redo.revise ?? 0,
    harness: input.harness,
    health: diagnosed.health,
    evidence: read,
    past,
  });
  const { health, ...revision } = revised;
  await open.show({ bottleneck: revised.bottleneck });
  await open.record([
    draft('diagnosed', generation, {
      ...diagnosed,
      evidence: [evidence.train, evidence.diag, evidence.labels],
    }),
    draft('harness-revised', generation, revision),
  ]);

  await open.enter('propose');
  const { injected } = open.control.current();
  const { harness } = revised;
  const { recipe } = incumbent;
  const count = input.config.interventions;
  const proposed = await quickly('propose').propose({
    ...place,
    redo: redo.propose ?? 0,
    harness,
    health,
    recipe,
    count,
    injected,
    past,
    skills,
  });
  await open.enter('backtest');
  const { interventions } = proposed;
  const ranked = await quickly('backtest').backtest({
    ...place,
    redo: redo.backtest ?? 0,
    harness,
    recipe,
    interventions,
    evidence,
    past,
    skills,
    count,
  });
  await open.record([
    draft('proposed', generation, proposed),
    draft('backtested', generation, ranked),
  ]);

  const results = await open.train(survivorsOf(ranked, proposed), harness);
  await open.record(trainedDrafts(generation, results));
  const branches = results.filter(isTrained);

  await open.enter('screen');
  const measured = await requireJob(open.jobs, planSelect(input, branches));
  const branchHealth = await open.diagnoseBranches(branches, measured.outputs, harness);
  await open.enter('screen');
  const screened = await quickly('screen').screen({
    generation: input,
    branches: results,
    measured: measured.outputs,
    harness,
    incumbentDiag: evidence.diag,
  });
  await open.showScreened(screened);

  await open.enter('promote');
  const challenger = branches.find(({ branch }) => branch === screened.challenger?.branch) ?? null;
  const tested =
    challenger === null || screened.challenger === null
      ? null
      : await requireJob(open.jobs, planGate(input, challenger, screened.challenger.test));
  await open.enter('promote');
  const promotion = await quickly('promote').promote({
    generation: input,
    screened,
    challenger,
    tested: tested?.outputs ?? null,
  });
  await open.record(promotion.drafts);

  await open.enter('accumulate');
  const closed = await quickly('accumulate').accumulate({
    generation: input,
    evidence,
    health,
    bottleneck: revised.bottleneck,
    results,
    measured: measured.outputs,
    branchHealth,
    screened,
    verdict: promotion.verdict,
  });
  await open.record(closed.drafts);
  await open.showDecided(closed, promotion.verdict);
  return {
    generation,
    incumbent: closed.incumbent,
    incumbentSteps: closed.incumbentSteps,
    harness,
    skills: closed.skills,
    past: closed.past,
    view: open.view,
    testsSpent: Math.max(input.testsSpent, screened.challenger?.test ?? 0),
    injectedUsed: injected.map(({ id }) => id),
  };
}

const isTrained = (result: BranchResult): result is Extract<BranchResult, { status: 'ok' }> =>
  result.status === 'ok';

const survivorsOf = (ranked: Backtested, { interventions }: Proposals): readonly Intervention[] =>
  ranked.survivors.flatMap((id) => interventions.filter((intervention) => intervention.id === id));
