// Trajectories of a made-up coding agent, for measuring how they are read: about 4 kB of JSON each, from a seed.

const VERBS = [
  ['read', 'cat'],
  ['search', 'rg'],
  ['edit', 'sed'],
  ['test', 'pytest'],
  ['run', 'python'],
  ['vcs', 'git log'],
] as const;
const GROUP = 4;
/** Ordinary prose about code, cut at random places: it packs about as well as real output does. */
const PROSE = (
  'def parse(value): return int(value) if value.isdigit() else None # falls through to the caller, ' +
  'which logs the name of the field and the offset at which the record was cut short; see the test ' +
  'for the empty header, the one with a trailing comma and the one whose checksum does not agree. '
).trim();

/** Numbers in [0, 1) by mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One trajectory a line of JSON, four of each task; equal for equal seeds. */
export function* trajectoryLines(count: number, seed: number): Generator<string> {
  const random = seeded(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  for (let index = 0; index < count; index += 1) {
    yield JSON.stringify(trajectory(index, random, below));
  }
}

function trajectory(index: number, random: () => number, below: (limit: number) => number) {
  const task = `task-${String(Math.floor(index / GROUP)).padStart(7, '0')}`;
  const calls = 1 + below(6);
  const actions = Array.from({ length: calls }, (_, turn) => action(turn, random, below));
  const isRight = random() < 0.4;
  const isTruncated = random() < 0.1;
  const tokens = 200 + below(3000) + (isRight ? 150 : 0);
  return {
    ...ids(index, task),
    rewards: [{ component: 'visible_pass', value: isRight ? 1 : 0 }],
    reward: isRight ? 1 : 0,
    advantage: isRight ? 0.5 : -0.5,
    kept: true,
    filter_reason: null,
    seed: String(index),
    extra: '{}',
    domain: 'swe.bench',
    family: `family-${below(8)}`,
    level: below(4),
    category: `category-${below(5)}`,
    prompt: `Mend ${task}: ${text(150, below)}`,
    protected_paths: ['tests/test_parse.py', 'tests/test_header.py'],
    turns: actions.flatMap((act) => turns(act, random, below)),
    actions,
    changes: [change(random, below)],
    artifact: text(200, below),
    answers: [],
    answer: null,
    stop_reason: isTruncated ? 'token_limit' : 'submitted',
    terminated: !isTruncated,
    truncated: isTruncated,
    turn_count: calls * 2,
    token_count: tokens,
    prompt_tokens: 80,
    max_tokens: 4096,
    mean_logprob: -random(),
    entropy: random(),
    visible: outcome(isRight ? 1 : 0, isTruncated),
    hidden: outcome(isRight && random() < 0.8 ? 1 : 0, isTruncated),
    visible_tests: ['tests/test_parse.py::test_empty'],
    required_tests: ['tests/test_parse.py::test_empty', 'tests/test_header.py::test_cut'],
  };
}

const ids = (index: number, task: string) => ({
  version: 1,
  campaign_seed: 1,
  generation: 1,
  replicate: 0,
  split: 'DIAG',
  step: 0,
  task_id: task,
  group_id: task,
  sample: index % GROUP,
  trajectory_id: `trajectory-${String(index).padStart(8, '0')}`,
  policy_sha256: 'a'.repeat(64),
  recipe_sha256: 'b'.repeat(64),
  environment_version: '1',
  content_hash: `hash-${task}`,
});

/** Pieces of the prose, so that no two texts are alike and each still reads like output. */
function text(length: number, below: (limit: number) => number): string {
  const pieces = Array.from({ length: Math.ceil(length / 24) }, () => {
    const from = below(PROSE.length - 24);
    return PROSE.slice(from, from + 12 + below(12));
  });
  return `${below(1e9)} ${pieces.join(' ')}`;
}

function action(turn: number, random: () => number, below: (limit: number) => number) {
  // A look into the history is rare, as it is in real sets.
  const [kind, verb] = VERBS[random() < 0.02 ? 5 : below(5)] ?? VERBS[0];
  const path = random() < 0.05 ? 'tests/test_parse.py' : `src/module_${below(40)}.py`;
  const ok = random() < 0.9;
  return {
    turn,
    kind,
    verb,
    args: ['-n', path],
    paths: [path],
    wrote: kind === 'edit',
    url: null,
    ok,
    exit_code: ok ? 0 : 1,
  };
}

function turns(
  { verb, args, exit_code }: ReturnType<typeof action>,
  random: () => number,
  below: (limit: number) => number,
) {
  const status = random() < 0.02 ? 'malformed' : 'ok';
  const spoken = { mean_logprob: -random(), entropy: random(), forced: false };
  const heard = { mean_logprob: null, entropy: null, forced: true };
  const tool = 'shell';
  const words = JSON.stringify({ command: [verb, ...args] });
  return [
    {
      role: 'policy',
      tool,
      arguments: words,
      text: text(80, below),
      status,
      exit_code: null,
      tokens: 40,
      ...spoken,
    },
    {
      role: 'environment',
      tool,
      arguments: null,
      text: text(150, below),
      status,
      exit_code,
      tokens: 60,
      ...heard,
    },
  ];
}

const change = (random: () => number, below: (limit: number) => number) => ({
  path: `src/module_${below(40)}.py`,
  kind: random() < 0.06 ? 'test' : 'source',
  added: below(20),
  removed: below(8),
  calls: ['int', 'value.isdigit'],
  defines: ['parse'],
  literals: ['None', String(below(100))],
  asserts_removed: random() < 0.02 ? 1 : 0,
});

const outcome = (score: number, isTruncated: boolean) => ({
  score,
  verdict: score === 1 ? 'correct' : isTruncated ? 'timeout' : 'incorrect',
  tests_passed: score === 1 ? 2 : 1,
  tests_failed: score === 1 ? 0 : 1,
  tests_skipped: 0,
  tests_missing: 0,
  tests_xfail: 0,
  exit_code: score === 1 ? 0 : 1,
  error_kind: null,
});
