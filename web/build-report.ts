// From ledger records to the report's model.
import { trackForecasts } from '../core/backtest/forecasts.ts';
import type { Candidate, LedgerDraft, LedgerRecord, Skill } from '../core/schemas/ledger-entry.ts';
import type {
  HealthSeries,
  Holder,
  ReportBranch,
  ReportGeneration,
  ReportModel,
  ReportObjects,
} from './report-model.ts';
import { revisionLines } from './revision-lines.ts';

/** Narrows a draft to one kind. */
const bodies = {
  calibrated: (draft: LedgerDraft) => (draft.kind === 'calibrated' ? draft.body : null),
  diagnosed: (draft: LedgerDraft) => (draft.kind === 'diagnosed' ? draft.body : null),
  harnessRevised: (draft: LedgerDraft) => (draft.kind === 'harness-revised' ? draft.body : null),
  backtested: (draft: LedgerDraft) => (draft.kind === 'backtested' ? draft.body : null),
  branchTrained: (draft: LedgerDraft) => (draft.kind === 'branch-trained' ? draft.body : null),
  screened: (draft: LedgerDraft) => (draft.kind === 'screened' ? draft.body : null),
  testReserved: (draft: LedgerDraft) => (draft.kind === 'test-reserved' ? draft.body : null),
  gateVerdict: (draft: LedgerDraft) => (draft.kind === 'gate-verdict' ? draft.body : null),
  branchesDecided: (draft: LedgerDraft) => (draft.kind === 'branches-decided' ? draft.body : null),
  generationParked: (draft: LedgerDraft) =>
    draft.kind === 'generation-parked' ? draft.body : null,
  generationSkipped: (draft: LedgerDraft) =>
    draft.kind === 'generation-skipped' ? draft.body : null,
  skillsRecorded: (draft: LedgerDraft) => (draft.kind === 'skills-recorded' ? draft.body : null),
};

interface Found<Body> {
  readonly body: Body;
  readonly generation: number;
  readonly entry: number;
}

const find = <Body>(
  records: readonly LedgerRecord[],
  bodyOf: (draft: LedgerDraft) => Body | null,
): Found<Body>[] =>
  records.flatMap(({ entry: { number, draft } }) => {
    const body = bodyOf(draft);
    return body === null ? [] : [{ body, generation: draft.generation, entry: number }];
  });

/** Records in order of their numbers. */
export function buildReport(
  campaign: string,
  records: readonly LedgerRecord[],
  objects: ReportObjects,
): ReportModel {
  const calibrated = find(records, bodies.calibrated).at(-1);
  const played = records.filter(({ entry }) => !isAside(entry.draft));
  const numbers = [...new Set(played.map(({ entry }) => entry.draft.generation))];
  const generations = numbers
    .filter((generation) => generation > 0)
    .toSorted((a, b) => a - b)
    .map((generation) => buildGeneration(generation, records, objects));
  return {
    campaign,
    state: stateOf(records),
    calibrated: calibrated
      ? { ...calibrated.body, source: { entry: calibrated.entry, object: null } }
      : null,
    generations,
    lineage: buildLineage(records),
    health: buildHealth(generations),
    skills: lastSkills(records),
    forecasts: trackForecasts(records.map(({ entry }) => entry.draft)),
    drift: find(records, bodies.branchesDecided).at(-1)?.body.drift ?? [],
    testsSpent: Math.max(0, ...find(records, bodies.testReserved).map(({ body }) => body.test)),
    ledger: records,
  };
}

/** Entries that carry a generation's number and say nothing of it. */
const isAside = ({ kind }: LedgerDraft): boolean => ASIDE.has(kind);
const ASIDE: ReadonlySet<LedgerDraft['kind']> = new Set([
  'message-received',
  'intervention-injected',
  'generation-retried',
  'campaign-ended',
]);

function stateOf(records: readonly LedgerRecord[]): string {
  const last = records.at(-1)?.entry.draft;
  if (!last) return 'not begun';
  if (last.kind === 'campaign-ended') return last.body.how;
  return last.kind === 'generation-parked' ? 'parked' : 'open';
}

function buildGeneration(
  generation: number,
  all: readonly LedgerRecord[],
  objects: ReportObjects,
): ReportGeneration {
  const records = all.filter(({ entry }) => entry.draft.generation === generation);
  const diagnosed = find(records, bodies.diagnosed).at(-1);
  const revised = find(records, bodies.harnessRevised).at(-1);
  const report = diagnosed && objects.health.get(diagnosed.body.health.sha256);
  const backtested = find(records, bodies.backtested).at(-1);
  const backtests = backtested && objects.backtests.get(backtested.body.report.sha256);
  const gate = find(records, bodies.gateVerdict).at(-1);
  const names = [...new Set(find(records, bodies.branchTrained).map(({ body }) => body.branch))];
  return {
    generation,
    bottleneck: revised?.body.bottleneck ?? diagnosed?.body.bottleneck ?? null,
    rivals: diagnosed?.body.rivals ?? [],
    health:
      report && diagnosed
        ? { report, source: { entry: diagnosed.entry, object: diagnosed.body.health } }
        : null,
    revision: revised ? revisionLines(revised.body) : [],
    rejectedByBacktest: backtested?.body.rejected ?? [],
    backtests:
      backtests && backtested
        ? {
            report: backtests,
            source: { entry: backtested.entry, object: backtested.body.report },
          }
        : null,
    branches: names
      .toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
      .map((name) => buildBranch(name, records, objects)),
    gate: gate
      ? {
          ...gate.body,
          source: { entry: gate.entry, object: gate.body.results[0] ?? null },
        }
      : null,
    ended: endOf(records),
  };
}

function endOf(records: readonly LedgerRecord[]): string | null {
  const skipped = find(records, bodies.generationSkipped).at(-1);
  if (skipped) return `skipped: ${skipped.body.reason}`;
  if (find(records, bodies.branchesDecided).length > 0) return null;
  const parked = find(records, bodies.generationParked).at(-1);
  return parked ? `parked at ${parked.body.step}: ${parked.body.reason}` : 'open';
}

function buildBranch(
  name: string,
  records: readonly LedgerRecord[],
  objects: ReportObjects,
): ReportBranch {
  const isOwn = ({ branch }: { branch: string }): boolean => branch === name;
  const trained = find(records, bodies.branchTrained).findLast(({ body }) => isOwn(body));
  const screened = find(records, bodies.screened).at(-1);
  const decided = find(records, bodies.branchesDecided).at(-1);
  const screen = screened?.body.branches.find(isOwn);
  const decision = decided?.body.branches.find(isOwn);
  const candidate = trained?.body.candidate ?? null;
  const metrics = trained?.body.artifacts['metrics'];
  const entry = trained?.entry ?? 0;
  return {
    branch: name,
    intervention: trained?.body.intervention ?? null,
    outcome: trained?.body.outcome ?? 'unknown',
    candidate,
    rewardMean: trained?.body.rewardMean ?? null,
    selectMean: decision?.selectMean ?? null,
    curve: (metrics && objects.curves.get(metrics.sha256)) ?? [],
    metrics: metrics ? { entry, object: metrics } : null,
    trained: { entry, object: candidate?.policy ?? null },
    screen:
      screened && screen
        ? {
            ...screen,
            source: { entry: screened.entry, object: screened.body.results[0] ?? null },
          }
        : null,
    decision:
      decided && decision ? { ...decision, source: { entry: decided.entry, object: null } } : null,
  };
}

function buildLineage(records: readonly LedgerRecord[]): Holder[] {
  const holders: Holder[] = [];
  for (const { entry } of records) {
    const { draft, number } = entry;
    const { generation } = draft;
    const holder = (branch: string | null, candidate: Candidate): Holder => ({
      generation,
      branch,
      candidate,
      source: { entry: number, object: candidate.policy },
      newest: { selectMean: candidate.selectMean, source: { entry: number, object: null } },
    });
    if (draft.kind === 'calibrated') holders.push(holder(null, draft.body.warmStart));
    if (draft.kind !== 'branches-decided') continue;
    const { incumbent, branches } = draft.body;
    const promoted = branches.find(({ decision }) => decision === 'promote')?.branch ?? null;
    const at = holders.findIndex((one) => one.candidate.policy.sha256 === incumbent.policy.sha256);
    const held = holders[at];
    if (promoted !== null || held === undefined) holders.push(holder(promoted, incumbent));
    else holders.splice(at, Infinity, { ...held, newest: holder(null, incumbent).newest });
  }
  return holders;
}

/** One series a metric, in the order of the newest report. */
function buildHealth(generations: readonly ReportGeneration[]): HealthSeries[] {
  const series = new Map<string, HealthSeries>();
  for (const { generation, health } of generations.toReversed()) {
    for (const value of health?.report.values ?? []) {
      const { name, layer, unit, healthy } = value;
      const known = series.get(name) ?? { name, layer, unit, healthy, points: [] };
      const point = { generation, value, source: health?.source ?? { entry: 0, object: null } };
      series.set(name, { ...known, points: [point, ...known.points] });
    }
  }
  return [...series.values()];
}

function lastSkills(records: readonly LedgerRecord[]): Skill[] {
  const skills = new Map<string, Skill>();
  for (const { body } of find(records, bodies.skillsRecorded)) {
    for (const skill of body.skills) skills.set(skill.id, skill);
  }
  return [...skills.values()];
}
