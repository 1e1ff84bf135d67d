import type { Accumulated } from '../activities/accumulate.ts';
import type { Backtested } from '../activities/backtest.ts';
import type { Revised } from '../activities/revise.ts';
import { trainedDrafts } from '../core/drafts.ts';
import type {
  BranchResult,
  Evidence,
  GenerationInput,
  GenerationResult,
  Screenable,
} from '../core/generation.ts';
import { evidenceOf, output, planGate, planLabel, planRollout, planSelect } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
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
    throw asFailure(error, open.testsSpent);
  }
}

async function play(input: GenerationInput, open: OpenGeneration): Promise<GenerationResult> {
  const { generation, redo, memory } = input;
  const rolled = await requireJob(open.jobs, planRollout(input));
  const labelled = await requireJob(open.jobs, planLabel(input, output(rolled.outputs, 'diag')));
  const evidence = evidenceOf(rolled.outputs, labelled.outputs);
  const read = { ...evidence, steps: input.incumbentSteps };

  await open.enter('diagnose');
  const diagnosed = await quickly('diagnose').diagnose({
    ...open.place,
    redo: redo.diagnose ?? 0,
    harness: input.harness,
    evidence: read,
    memory,
    control: null,
    lost: input.incumbent.conditional,
  });
  await open.enter('revise');
  const revised = await quickly('revise').revise({
    ...open.place,
    redo: redo.revise ?? 0,
    harness: input.harness,
    health: diagnosed.health,
    evidence: read,
    memory,
    recipe: input.incumbent.recipe,
    lost: input.incumbent.conditional,
  });
  await open.record([...(diagnosed.entry === null ? [] : [diagnosed.entry]), revised.entry]);
  const { reverted } = revised;
  if (reverted !== null) return withdraw(input, open, { revised, reverted, evidence });

  const injected = open.control.current().injected;
  const { survivors, backtested } = await chooseInterventions(input, open, {
    revised,
    evidence,
    injected,
  });
  const results = await open.train(survivors, revised.harness);
  await open.record(trainedDrafts(generation, results));
  const closed = await judge(input, open, { revised, evidence, backtested, results });
  return resultOf(open, closed, { harness: revised.harness, injected });
}

/** The incumbent that no longer stands trains nothing: the generation closes, and the next begins from who held before. */
async function withdraw(
  input: GenerationInput,
  open: OpenGeneration,
  found: { revised: Revised; reverted: NonNullable<Revised['reverted']>; evidence: Evidence },
): Promise<GenerationResult> {
  const { scope, generation, incumbent, incumbentSteps } = input;
  const { revised, reverted, evidence } = found;
  const { memory, health, bottleneck } = revised;
  await open.enter('accumulate', { bottleneck });
  const closed = await quickly('accumulate').withdraw({
    generation: { scope, generation, incumbent, incumbentSteps, memory },
    evidence,
    health,
    bottleneck,
    reverted,
  });
  await open.decide(withNotices(closed, revised), null);
  return resultOf(open, closed, { harness: revised.harness, injected: [] });
}

const withNotices = (closed: Accumulated, { notices }: Revised): Accumulated => ({
  ...closed,
  notices: [...notices, ...closed.notices],
});

const resultOf = (
  open: OpenGeneration,
  closed: Accumulated,
  used: { harness: ArtifactRef; injected: readonly Intervention[] },
): GenerationResult => ({
  generation: open.place.generation,
  incumbent: closed.incumbent,
  incumbentSteps: closed.incumbentSteps,
  harness: used.harness,
  memory: closed.memory,
  skillsKnown: closed.skillsKnown,
  view: open.view,
  written: open.written,
  testsSpent: open.testsSpent,
  injectedUsed: used.injected.map(({ id }) => id),
});

/** Propose and backtest: the interventions that become b1…bK. */
async function chooseInterventions(
  input: GenerationInput,
  open: OpenGeneration,
  found: { revised: Revised; evidence: Evidence; injected: readonly Intervention[] },
): Promise<Backtested> {
  const { redo, incumbent } = input;
  const { harness, health, bottleneck, memory } = found.revised;
  const shared = {
    harness,
    recipe: incumbent.recipe,
    count: input.config.interventions,
    memory,
  };
  await open.enter('propose', { bottleneck });
  const { proposed } = await quickly('propose').propose({
    ...open.place,
    ...shared,
    redo: redo.propose ?? 0,
    health,
    injected: found.injected,
  });
  await open.enter('backtest');
  const chosen = await quickly('backtest').backtest({
    ...open.place,
    ...shared,
    redo: redo.backtest ?? 0,
    proposed,
    evidence: found.evidence,
  });
  await open.record([proposed, chosen.backtested]);
  return chosen;
}

interface Trained {
  readonly revised: Revised;
  readonly evidence: Evidence;
  readonly backtested: ArtifactRef;
  readonly results: readonly BranchResult[];
}

/** Screen, promote and accumulate: what becomes of the branches. */
async function judge(
  input: GenerationInput,
  open: OpenGeneration,
  { revised, evidence, backtested, results }: Trained,
): Promise<Accumulated> {
  const branches = results.filter(isTrained);
  const { scope, generation, incumbent, incumbentSteps, epoch } = input;
  const { memory } = revised;
  const { domain, evaluation, gate } = input.config;
  const { digest, warmStartResults } = epoch;
  const judged = {
    scope,
    config: { domain, evaluation, gate },
    epoch: { digest, warmStartResults },
    generation,
    incumbent,
  };
  await open.enter('screen');
  const { outputs: measured } = await requireJob(open.jobs, planSelect(input, branches));
  await open.enter('screen');
  const branchHealth = await open.diagnoseBranches(branches, measured, revised.harness);
  const screened = await quickly('screen').screen({
    generation: judged,
    branches: results.map(screenable),
    measured,
    harness: revised.harness,
    incumbentDiag: evidence.diag,
  });
  const { challenger: reserved } = screened;
  open.testsSpent = Math.max(open.testsSpent, reserved?.test ?? 0);

  await open.enterPromote(screened);
  const challenger = branches.find(({ branch }) => branch === reserved?.branch) ?? null;
  const tested =
    challenger === null || reserved === null
      ? null
      : await requireJob(open.jobs, planGate(input, challenger, reserved.test));
  await open.enter('promote');
  const promotion = await quickly('promote').promote({
    generation: judged,
    screened: { challenger: reserved },
    challenger: challenger && { candidate: challenger.candidate },
    tested: tested?.outputs ?? null,
  });
  await open.record(promotion.drafts);

  await open.enter('accumulate');
  const closed = await quickly('accumulate').accumulate({
    generation: { scope, generation, incumbent, incumbentSteps, memory },
    evidence,
    health: revised.health,
    bottleneck: revised.bottleneck,
    backtested,
    results: results.map(decidable),
    measured,
    branchHealth,
    screened,
    verdict: promotion.verdict,
  });
  await open.decide(withNotices(closed, revised), promotion.verdict);
  return closed;
}

const isTrained = (result: BranchResult): result is Extract<BranchResult, { status: 'ok' }> =>
  result.status === 'ok';

const screenable = (result: BranchResult): Screenable =>
  result.status === 'ok'
    ? {
        status: 'ok',
        branch: result.branch,
        candidate: result.candidate,
        artifacts: { diag: result.artifacts.diag },
      }
    : { status: 'failed', branch: result.branch, kind: result.kind };

const decidable = ({ intervention, ...outcome }: BranchResult) => ({
  ...outcome,
  intervention: intervention && {
    id: intervention.id,
    operator: intervention.operator,
    predicted: intervention.predicted,
  },
});
