// A scripted specialist that asks its tools for all that they give, before it submits what a person asks for.
import { MINED_ROWS } from '../../core/harness/mining/sample-query.ts';
import { baselineMachine } from './baseline.ts';
import { CAMPAIGN } from './test-machine.ts';

/** Of what the campaign plays before its first change: that which specialists may see, and the rest. */
export interface Halves {
  readonly mined: string;
  readonly reserved: string;
  /** Ids and prompts of the reserved half that the other half and TRAIN do not have. */
  readonly hidden: readonly string[];
}

/** The campaign of the suite plays the same trajectories before its first change. */
export async function readHalves(): Promise<Halves> {
  const sql = `SELECT trajectory_id AS id, prompt, ${MINED_ROWS} AS mined, split FROM t`;
  const told = await baselineMachine().must('trajectories', CAMPAIGN, '--json', '--sql', sql);
  const rows = told
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { id: string; prompt: string; mined: boolean; split: string },
    );
  const ofMined = rows.filter(({ mined }) => mined);
  const ofReserved = rows.filter(({ mined }) => !mined);
  const shown = new Set(ofMined.map(({ prompt }) => prompt));
  const prompts = ofReserved.map(({ prompt }) => prompt).filter((prompt) => !shown.has(prompt));
  return {
    mined: ofMined.find(({ split }) => split === 'DIAG')?.id ?? '',
    reserved: ofReserved[0]?.id ?? '',
    hidden: [...new Set([...ofReserved.slice(1).map(({ id }) => id), ...prompts])],
  };
}

const reward = (weight: number) => ({
  name: `pay_${weight * 100}`,
  patch: [
    { op: 'replace', path: '/reward/components', value: [{ feature: 'visible_pass', weight }] },
  ],
  hypothesis: 'if the reward is weighed otherwise, the policy moves',
  predicted: [{ metric: 'true_mean', direction: 'up', interval: null }],
});

/** Asks for all that tools give, and submits another weight after each feedback. */
export function nosyScript({ mined, reserved }: Halves): unknown[] {
  const query = (sql: string) => ({ tool: 'query', input: { sql } });
  const looks = [
    [
      ...['health', 'recipe', 'lineage', 'memory'].map((tool) => ({ tool, input: {} })),
      { tool: 'definition', input: { like: '' } },
      query('SELECT * FROM t ORDER BY trajectory_id LIMIT 50'),
      query('SELECT DISTINCT prompt FROM t'),
      query('SELECT * FROM labels LIMIT 50'),
    ],
    [
      { tool: 'trajectories', input: { limit: 20 } },
      { tool: 'read', input: { id: mined } },
      { tool: 'read', input: { id: reserved } },
      { tool: 'try_expression', input: { sql: 'artifact::INTEGER' } },
      { tool: 'try_detector', input: { sql: 'len(answers) > 1' } },
      { tool: 'backtest', input: { patch: reward(0.5).patch } },
      query("SELECT getenv('HF_TOKEN')"),
      query('SELECT * FROM steps LIMIT 50'),
    ],
  ];
  const submits = (weight: number) => ({
    calls: [{ tool: 'submit', input: { interventions: [reward(weight)] } }],
  });
  return [
    ...looks.map((calls, index) => ({ when: { turn: index + 1 }, calls })),
    { when: { contains: 'FEEDBACK 3' }, ...submits(0.8) },
    { when: { contains: 'FEEDBACK 2' }, ...submits(0.7) },
    { when: { contains: 'FEEDBACK 1' }, ...submits(0.6) },
    submits(0.5),
  ];
}
