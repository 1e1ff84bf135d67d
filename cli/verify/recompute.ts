// Every verdict of the gate, computed again from the archived per-problem results.
import { runDetectors } from '../../activities/revising/run-detectors.ts';
import { readSealedRows } from '../../activities/shared/sealed-rows.ts';
import { visibleTrueGap } from '../../core/gate/integrity.ts';
import { INCUMBENT, tasksOf } from '../../core/gate/rows.ts';
import { screenPlan } from '../../core/plan.ts';
import type { CampaignConfig } from '../../core/schemas/campaign-config.ts';
import type { Candidate, LedgerDraft, LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { type Mismatch, verifyScreened, verifyVerdict } from '../../core/verify.ts';
import type { ReadingPorts } from '../../workers/compose.ts';

type Of<Kind extends LedgerDraft['kind']> = Extract<LedgerDraft, { kind: Kind }>;

/** What stood in the ledger when an entry was written. */
interface Before {
  calibrated: Of<'calibrated'>['body'] | null;
  harness: Of<'calibrated'>['body']['harness'] | null;
  incumbent: Candidate | null;
  incumbentDiag: Of<'calibrated'>['body']['harness'] | null;
  readonly trained: Map<string, Of<'branch-trained'>['body']>;
}

export interface Recomputed {
  readonly verdicts: number;
  readonly mismatches: readonly Mismatch[];
}

export async function recomputeVerdicts(
  records: readonly LedgerRecord[],
  config: CampaignConfig,
  ports: ReadingPorts,
): Promise<Recomputed> {
  const before: Before = {
    calibrated: null,
    harness: null,
    incumbent: null,
    incumbentDiag: null,
    trained: new Map(),
  };
  const mismatches: Mismatch[] = [];
  let verdicts = 0;
  for (const { entry } of records) {
    const { draft, number } = entry;
    if (draft.kind === 'screened') {
      verdicts += draft.body.branches.length;
      mismatches.push(...(await screened(number, draft, { before, config, ports })));
    } else if (draft.kind === 'gate-verdict') {
      verdicts += 1;
      mismatches.push(...(await tested(number, draft, { before, config, ports })));
    } else remember(before, draft);
  }
  return { verdicts, mismatches };
}

function remember(before: Before, draft: LedgerDraft): void {
  if (draft.kind === 'calibrated') {
    before.calibrated = draft.body;
    before.harness = draft.body.harness;
    before.incumbent = draft.body.warmStart;
  }
  if (draft.kind === 'harness-revised') before.harness = draft.body.harness;
  if (draft.kind === 'diagnosed') {
    before.trained.clear();
    before.incumbentDiag = draft.body.evidence[1] ?? null;
  }
  if (draft.kind === 'branch-trained') before.trained.set(draft.body.branch, draft.body);
  if (draft.kind === 'branches-decided') before.incumbent = draft.body.incumbent;
}

interface Context {
  readonly before: Before;
  readonly config: CampaignConfig;
  readonly ports: ReadingPorts;
}

const identity = (epoch: string, candidate: Candidate | null) => ({
  epoch,
  policySha256: candidate?.policy.sha256 ?? '',
  recipeSha256: candidate?.recipe.sha256 ?? '',
});

async function screened(
  entry: number,
  { body }: Of<'screened'>,
  { before, config, ports }: Context,
): Promise<Mismatch[]> {
  const { calibrated, harness, incumbentDiag } = before;
  if (!calibrated || !harness || !incumbentDiag) return [broken(entry, 'nothing was calibrated')];
  const names = new Set(body.branches.map(({ branch }) => branch));
  const branches = [...before.trained.values()].filter(({ branch }) => names.has(branch));
  const sets = Object.fromEntries(
    branches.flatMap(({ branch, artifacts: { diag } }) => (diag ? [[branch, diag]] : [])),
  );
  const rows = await readSealedRows(ports.sealedAnalytics, body.results);
  const warm = await readSealedRows(ports.sealedAnalytics, [calibrated.warmStartResults.select]);
  return verifyScreened(entry, body, {
    domain: config.domain,
    plan: screenPlan(config),
    incumbent: identity(calibrated.epoch, before.incumbent),
    branches: branches.map(({ branch, outcome, candidate }) => ({
      branch,
      failure: outcome === 'ok' ? null : outcome,
      ...identity(calibrated.epoch, candidate),
    })),
    selectRows: rows.filter(({ stream }) => stream === 'select'),
    canaryRows: rows.filter(({ stream }) => stream === 'canary'),
    warmStartGap: visibleTrueGap(tasksOf(warm, INCUMBENT)),
    behaviour: await runDetectors(ports, { harness, sets: { incumbent: incumbentDiag, ...sets } }),
  });
}

async function tested(
  entry: number,
  { body }: Of<'gate-verdict'>,
  { before, config, ports }: Context,
): Promise<Mismatch[]> {
  const { calibrated, incumbent } = before;
  if (!calibrated) return [broken(entry, 'nothing was calibrated')];
  const { promotion_tasks: tasks, promotion_samples: samples, category_tasks } = config.evaluation;
  const candidate = before.trained.get(body.branch)?.candidate ?? null;
  return verifyVerdict(entry, body, {
    test: body.test,
    alpha: body.alpha,
    delta0: config.gate.delta0,
    plan: { tasks, samples, categoryTasks: category_tasks },
    challenger: identity(calibrated.epoch, candidate),
    incumbent: identity(calibrated.epoch, incumbent),
    rows: await readSealedRows(ports.sealedAnalytics, body.results),
    conditionalCategories: config.gate.conditional_categories,
    lostBefore: incumbent?.conditional ?? [],
  });
}

const broken = (entry: number, why: string): Mismatch => ({
  entry,
  field: 'order',
  stored: '"present"',
  computed: JSON.stringify(why),
});
