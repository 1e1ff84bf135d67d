// The live view of `evo run` and `evo watch` as lines: a header, the current generation and its running jobs.
import { armNote } from '../../core/arm.ts';
import { type GenerationView, lossesOf, testText, verdictText } from '../../core/campaign-view.ts';
import { STEPS } from '../../core/steps.ts';
import { canSkip } from '../../core/decide-message.ts';
import { NONE, score } from '../../core/number-text.ts';
import { generationName } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { table } from '../terminal/table.ts';
import { decisionColor, phaseColor } from './event-line.ts';
import { jobLine } from './job-line.ts';
import type { Snapshot } from '../../core/snapshot.ts';

export function drawSnapshot(snapshot: Snapshot, style: Style): string[] {
  const { view, jobs } = snapshot;
  const { bold, dim } = style;
  const incumbent = view.incumbent
    ? `incumbent SELECT ${bold(score(view.incumbent.selectMean))}${lossesOf(view.incumbent.lostCategories)} (warm start ${score(view.warmStartSelectMean)})`
    : 'no incumbent yet';
  const generation =
    view.generation > 0 ? `generation ${view.generation}/${view.generationsPlanned}` : '';
  const current = view.generations.find((one) => one.generation === view.generation);
  const head = [bold(view.campaign), phaseColor(view.phase, style), generation, incumbent];
  const lines = ['', head.filter(Boolean).join(dim('  ·  '))];
  const note = armNote(view.arm);
  if (note !== null) lines.push(style.yellow(note));
  if (snapshot.isRunning && current?.step) lines.push(stepLine(current.step, style));
  if (current && current.branches.length > 0) lines.push('', ...branchTable(current, style));
  const decided = view.generations.findLast(({ step, branches }) => step === null && branches[0]);
  const tested = current?.verdict ? current : decided;
  if (tested?.verdict) lines.push(verdictLine(tested.verdict, view.campaign, style));
  if (decided) lines.push(...noticeLines(decided, style));
  const repeated = view.generations.findLast((one) => one.repeated !== null)?.repeated;
  if (repeated) lines.push(`${dim('spread')} ${repeated}`);
  if (jobs.length > 0) lines.push('', ...jobs.map((job) => jobLine(job, style)));
  if (view.phase === 'parked' && view.parked) {
    lines.push('', `parked at ${view.parked.step}: ${view.parked.reason}`);
    const leave = canSkip(view.parked.generation) ? 'skip' : 'abort';
    lines.push(dim(`evo retry ${view.campaign}  ·  evo ${leave} ${view.campaign} --reason …`));
  }
  return [...lines, ''];
}

/** The verdict on a test, what became of the recipe change, and the test's numbers. */
export function verdictLine(
  verdict: NonNullable<GenerationView['verdict']>,
  campaign: string,
  { dim }: Style,
): string {
  const { branch, verdict: outcome, guard, test } = verdict;
  const found = `${branch} ${outcome}${guard ? ` [${guard}]` : ''}: ${verdictText(verdict)}`;
  return `${dim('gate')} ${found} ${dim(`(${testText(test, campaign)})`)}`;
}

/** Messages that need a human's attention, such as backtests that drift. */
export const noticeLines = ({ notices }: GenerationView, { yellow }: Style): string[] =>
  notices.map((notice) => yellow(notice));

function stepLine(step: string, { bold, cyan, dim }: Style): string {
  const current = STEPS.findIndex((name) => name === step);
  if (current < 0) return cyan(step);
  return STEPS.map((name, at) =>
    at < current ? name : at === current ? bold(cyan(name)) : dim(name),
  ).join(dim(' › '));
}

/** The branches of a generation, with the decision on each and what it rests on. */
export function branchTable(generation: GenerationView, style: Style): string[] {
  const rows = generation.branches.map((branch) => [
    `${generationName(generation.generation)} ${branch.branch}`,
    branch.operator ?? style.dim('control'),
    score(branch.rewardMean),
    score(branch.selectMean),
    branch.decision ? decisionColor(branch.decision, style) : style.dim(branch.state),
    branch.guard ?? branch.why?.split('; ').at(-1) ?? NONE,
  ]);
  return table(['branch', 'intervention', 'reward', 'SELECT', 'decision', 'why'], rows);
}
