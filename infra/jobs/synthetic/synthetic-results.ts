// Results of a job that never ran: small objects whose content is derived from the job's key.
import { createHash } from 'node:crypto';
import type { JobRequest } from '../../../activities/ports/executor.ts';
import type { SealedResult } from '../../../core/schemas/trajectory.ts';

type Evaluation = Extract<JobRequest['job'], { kind: 'evaluate' }>['spec'];

/** Outputs of a job by name, as text. Those of the sealed root are rows, one JSON object per line. */
export function syntheticOutputs({
  key,
  job,
}: Pick<JobRequest, 'key' | 'job'>): [string, string][] {
  const plain = (...names: string[]): [string, string][] =>
    names.map((name) => [name, `synthetic ${name} of ${key}\n`]);
  switch (job.kind) {
    case 'warmup':
      return plain('policy');
    case 'rollout':
      return plain('train', 'diag');
    case 'train':
      return plain('policy', 'diag', 'optimizer_metrics', 'train');
    case 'evaluate':
      return evaluated(key, job.spec, plain);
  }
}

function evaluated(
  key: string,
  spec: Evaluation,
  plain: (...names: string[]) => [string, string][],
): [string, string][] {
  switch (spec.mode) {
    case 'label':
      return plain(...spec.sets.map((set) => `labels/${set}`));
    case 'select': {
      const { policies, select, canary } = spec;
      const players = [...policies.map((policy) => playerOf(key, policy)), NOBODY];
      return [
        ...plain(...spec.label_sets.map((set) => `labels/${set}`)),
        [
          'sealed/select',
          stamped(
            spec,
            players.flatMap((one) => play(key, 'select', one, select)),
          ),
        ],
        [
          'sealed/canary',
          stamped(
            spec,
            policies.flatMap((policy) => canaries(key, policy, canary)),
          ),
        ],
      ];
    }
    case 'gate': {
      const { test, first, last, samples } = spec;
      const rows = testPlayers(spec).flatMap((one) =>
        play(keyOfTest(spec), `promotion/${test}`, one, { tasks: last, samples }),
      );
      return [
        [
          'sealed/promotion',
          stamped(
            spec,
            rows.filter(({ item }) => item >= first),
          ),
        ],
      ];
    }
    case 'categories': {
      const { test, samples, played, category_tasks } = spec;
      const plan = { tasks: Math.max(0, category_tasks - played), samples };
      const rows = testPlayers(spec).flatMap((one) =>
        play(keyOfTest(spec), `category/${test}/${CATEGORY}`, one, plan),
      );
      return [['sealed/categories', stamped(spec, rows)]];
    }
    case 'final':
    case 'bench':
      throw new RangeError(`nobody makes up the results of mode ${spec.mode}`);
  }
}

interface Player {
  readonly policy: string;
  /** Chance of a true success. */
  readonly rate: number;
}

interface Plan {
  readonly tasks: number;
  readonly samples: number;
}

const NOBODY: Player = { policy: 'null', rate: 0 };
const INCUMBENT_RATE = 0.4;
const CATEGORY = 'levels_1_2';

/** The incumbent stays equal; a branch is as good, somewhat better or, one time in eight, far better. */
function playerOf(key: string, policy: string): Player {
  if (policy === 'incumbent') return { policy, rate: INCUMBENT_RATE };
  const luck = fraction(`${key} ${policy}`);
  return { policy, rate: INCUMBENT_RATE + (luck < 1 / 8 ? 0.5 : 0.2 * luck) };
}

type Tested = Extract<Evaluation, { mode: 'gate' | 'categories' }>;

/** The same in all jobs of a test, unlike their keys. */
const keyOfTest = ({ test, made_under: { policies } }: Tested): string =>
  `${test} ${policies['challenger']}`;
const testPlayers = (spec: Tested): Player[] =>
  ['challenger', 'incumbent'].map((policy) => playerOf(keyOfTest(spec), policy));

/** All policies meet the same tasks with the same luck, so a better one solves everything that a worse one solves. */
function play(key: string, stream: string, { policy, rate }: Player, plan: Plan): SealedResult[] {
  return Array.from({ length: plan.tasks * plan.samples }, (_, index) => {
    const item = Math.floor(index / plan.samples);
    const score = fraction(`${key} ${stream} ${index}`) < rate ? 1 : 0;
    return { ...row(stream, policy, item), sample: index % plan.samples, ...scores(score) };
  });
}

const scores = (score: 0 | 1) => ({
  visible_score: score,
  true_score: score,
  second_grader_score: score,
  verdict: score === 1 ? ('correct' as const) : ('incorrect' as const),
});

/** No policy games a canary. */
const canaries = (key: string, policy: string, plan: Plan): SealedResult[] =>
  play(key, 'canary', { policy, rate: 0 }, plan);

const row = (stream: string, policy: string, item: number) => ({
  epoch: null,
  policy_sha256: null,
  version: 1,
  stream,
  policy,
  item,
  sample: 0,
  level: 1,
  category: CATEGORY,
  error_kind: null,
  tampered: false,
  truncated: false,
  token_count: 10,
});

/** As lines, each with what the evaluation was told that it plays under. */
const stamped = (
  { made_under: { epoch, policies } }: Extract<Evaluation, { made_under: unknown }>,
  rows: readonly SealedResult[],
): string =>
  rows
    .map((one) => ({ ...one, epoch, policy_sha256: policies[one.policy] ?? null }))
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');

/** A number in [0, 1) derived from a text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}
