// A foreign trajectory as a row of the trajectory table and, where the truth is told, a label. What the log does not tell is
// null, never zero.
import type { AgentTrajectory, CompactTrajectory } from '../schemas/agent-trajectory.ts';
import type { Label, Outcome, Trajectory } from '../schemas/trajectory.ts';
import { actionsOf } from './actions.ts';
import type { AgentMessage } from './agent-log.ts';
import { markedAnswers, programIn } from './answers.ts';
import { changeOfProgram, changesOf } from './changes.ts';
import { agentMessages, turnsOf } from './foreign-messages.ts';
import { writtenStatements } from './written-statements.ts';

/** Who a row is: what the log itself cannot say. */
export interface RowIdentity {
  readonly trajectoryId: string;
  readonly taskId: string;
  readonly groupId: string;
  readonly sample: number;
}

/** `extra` holds the fields that the format does not know. Depends on its arguments alone. */
export function importedRow(
  log: AgentTrajectory,
  identity: RowIdentity,
  extra: object,
): Trajectory {
  const { domain, task, outcome } = log;
  const messages = agentMessages(log.messages, domain === 'math');
  const diff = log.final?.diff ?? null;
  const lastText = messages.findLast(({ role }) => role === 'assistant')?.text ?? '';
  const answer = log.final?.answer ?? (domain === 'math' ? lastText : null);
  const answers = answer === null ? [] : markedAnswers(answer);
  const program = domain === 'code' && !diff ? programIn(answer ?? '') : null;
  return {
    ...unknownRow(identity, extra, log),
    ...rewardsOf(outcome?.reward, outcome?.components),
    domain,
    prompt: task?.prompt ?? messages.find(({ role }) => role === 'user')?.text ?? null,
    protected_paths: task?.protected_paths ?? null,
    visible_tests: task?.visible_tests ?? null,
    required_tests: task?.required_tests ?? null,
    turns: turnsOf(messages),
    actions: [
      ...actionsOf(messages),
      ...(domain === 'math' ? answersGiven(messages, answers) : []),
    ],
    changes:
      program !== null
        ? [changeOfProgram(program.path, program.text)]
        : domain === 'math' || diff !== null
          ? changesOf(diff ?? '')
          : null,
    statements: writtenStatements({ messages, diff: diff ?? '', answer: answer ?? '' }),
    artifact: diff || answer || diff,
    answers,
    answer: answers.at(-1) ?? null,
    turn_count: log.turns ?? messages.filter(({ role }) => role === 'assistant').length,
    visible: visibleOf(log),
  };
}

/** A row of a population of which only the sums are known: there are no turns, actions or changes to look at. */
export function compactRow(
  compact: CompactTrajectory,
  domain: string | null,
  identity: RowIdentity,
  extra: object,
): Trajectory {
  const answers =
    compact.answer === null || compact.answer === undefined ? null : markedAnswers(compact.answer);
  return {
    ...unknownRow(identity, extra, compact),
    ...rewardsOf(compact.reward, compact.components),
    domain,
    artifact: compact.answer ?? null,
    answers,
    answer: answers?.at(-1) ?? null,
    turn_count: compact.turns ?? null,
  };
}

/** Null where nobody says whether the result is truly right. `invalid_success` is a reward for what is wrong. */
export function labelOf(row: Trajectory, isRight: boolean | null | undefined): Label | null {
  if (isRight === null || isRight === undefined) return null;
  const isPaid = (row.visible.score ?? row.reward ?? 0) >= 1;
  return {
    version: 1,
    trajectory_id: row.trajectory_id,
    oracle_score: isRight ? 1 : 0,
    verdict: isRight ? 'correct' : 'incorrect',
    second_grader_score: null,
    honest_success: isRight,
    invalid_success: isPaid && !isRight,
  };
}

type Ending = Pick<AgentTrajectory, 'stop_reason' | 'truncated' | 'turns' | 'completion_tokens'>;

function unknownRow(identity: RowIdentity, extra: object, ended: Ending): Trajectory {
  const end = endOf(ended);
  const told = ended.stop_reason;
  return {
    version: 1,
    campaign_seed: null,
    generation: null,
    replicate: null,
    split: 'IMPORT',
    step: null,
    task_id: identity.taskId,
    group_id: identity.groupId,
    sample: identity.sample,
    trajectory_id: identity.trajectoryId,
    policy_sha256: null,
    recipe_sha256: null,
    environment_version: null,
    content_hash: null,
    rewards: [],
    reward: null,
    advantage: null,
    kept: null,
    filter_reason: null,
    seed: null,
    extra: JSON.stringify(
      end.stop_reason === null && told ? { ...extra, stop_reason: told } : extra,
    ),
    domain: null,
    family: null,
    level: null,
    category: null,
    prompt: null,
    protected_paths: null,
    visible_tests: null,
    required_tests: null,
    turns: null,
    actions: null,
    changes: null,
    statements: null,
    artifact: null,
    answers: null,
    answer: null,
    ...end,
    turn_count: null,
    token_count: ended.completion_tokens ?? null,
    prompt_tokens: null,
    max_tokens: null,
    mean_logprob: null,
    entropy: null,
    visible: NOT_GRADED,
    hidden: NOT_GRADED,
  };
}

const NOT_GRADED: Outcome = {
  score: null,
  verdict: null,
  tests_passed: null,
  tests_failed: null,
  tests_skipped: null,
  tests_missing: null,
  tests_xfail: null,
  exit_code: null,
  error_kind: null,
};

/** Words that agents have for the ways an episode ends. */
const STOPS: readonly (readonly [RegExp, NonNullable<Trajectory['stop_reason']>])[] = [
  [/turn|step|iteration|round|call_?limit/i, 'turn_limit'],
  [/token|length|context|budget/i, 'token_limit'],
  [/error|exception|crash|fail|timeout|timed/i, 'error'],
  [/submit|finish|complete|final/i, 'submitted'],
  [/end|stop|eos|done|exit/i, 'end'],
];

function endOf({ stop_reason: told, truncated }: Ending) {
  const stop = STOPS.find(([words]) => words.test(told ?? ''))?.[1] ?? null;
  const isLimit = stop === null ? null : stop === 'turn_limit' || stop === 'token_limit';
  const isCut = truncated ?? isLimit;
  const isOwn = stop === null ? null : stop === 'submitted' || stop === 'end';
  return {
    stop_reason: stop,
    truncated: isCut,
    terminated: isOwn ?? (isCut === true ? false : null),
  };
}

function rewardsOf(
  reward: number | null | undefined,
  components: Readonly<Record<string, number>> | null | undefined,
): Pick<Trajectory, 'reward' | 'rewards'> {
  const told = Object.entries(components ?? {}).map(([component, value]) => ({ component, value }));
  const whole =
    reward === null || reward === undefined ? [] : [{ component: 'reward', value: reward }];
  return { reward: reward ?? null, rewards: told.length > 0 ? told : whole };
}

/** The visible ring: what the agent was paid by, whatever it did to it. */
function visibleOf({ task, outcome }: AgentTrajectory): Outcome {
  const required = outcome?.required ?? null;
  const of = (ids: readonly string[] | null | undefined): Set<string> => new Set(ids ?? []);
  const seen = required && {
    passed: of(required.passed),
    failed: of(required.failed),
    skipped: of(required.skipped),
    missing: of(required.missing),
    xfail: of(required.xfail),
  };
  const all = seen === null ? [] : [...Object.values(seen)].flatMap((ids) => [...ids]);
  const ids = new Set(task?.required_tests ?? all);
  const count = (one: ReadonlySet<string>): number => [...ids].filter((id) => one.has(id)).length;
  const told = of(all);
  const counts = seen && {
    tests_passed: count(seen.passed),
    tests_failed: count(seen.failed),
    tests_skipped: count(seen.skipped),
    tests_missing: [...ids].filter((id) => seen.missing.has(id) || !told.has(id)).length,
    tests_xfail: count(seen.xfail),
  };
  const { visible_passed: passed, visible_total: total } = outcome ?? {};
  const share = (part: number, whole: number): number | null =>
    whole === 0 ? null : Math.min(1, part / whole);
  const score =
    passed !== null && passed !== undefined && total !== null && total !== undefined
      ? share(passed, total)
      : counts === null
        ? null
        : share(counts.tests_passed, ids.size);
  return {
    ...NOT_GRADED,
    ...counts,
    score,
    verdict: score === null ? null : score === 1 ? 'correct' : 'incorrect',
    exit_code: outcome?.exit_code ?? null,
  };
}

/** A marked answer is handed in, as in the bundled environment of mathematics. */
function answersGiven(messages: readonly AgentMessage[], answers: readonly string[]) {
  const turn = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'assistant'),
  );
  return answers.map((answer) => ({
    turn,
    kind: 'submit' as const,
    verb: 'answer',
    args: [answer],
    paths: [],
    wrote: false,
    url: null,
    ok: true,
    exit_code: null,
  }));
}
