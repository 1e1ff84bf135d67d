// The made-up jobs and queries of the soak, through the real activities that read them.
import { describe, expect, it } from 'vitest';
import { makeBacktest } from '../../activities/backtest.ts';
import { makeDiagnose } from '../../activities/diagnose.ts';
import { makePropose } from '../../activities/propose.ts';
import { runDetectors } from '../../activities/revising/run-detectors.ts';
import { makeRevise } from '../../activities/revise.ts';
import { readSealedRows } from '../../activities/shared/sealed-rows.ts';
import { readJson } from '../../activities/shared/store-json.ts';
import { output, selectSpec } from '../../core/plan.ts';
import { healthReportSchema } from '../../core/schemas/harness.ts';
import type { Job } from '../../core/schemas/job.ts';
import { MemoryAnalytics } from '../../infra/analytics/memory/memory-analytics.ts';
import { SyntheticExecutor } from '../../infra/jobs/synthetic/synthetic-executor.ts';
import { MemoryStore } from '../../infra/store/memory/memory-store.ts';
import { candidate } from '../core/ledger-fixtures.ts';
import { asActivity, CONFIG, makeCampaignBench } from './campaign-bench.ts';
import { stepRequest } from './stored-context.ts';

const stores = { open: new MemoryStore('open'), sealed: new MemoryStore('sealed') };
const jobs = new SyntheticExecutor(stores);
const analytics = new MemoryAnalytics({ sealed: null });
const sealedAnalytics = new MemoryAnalytics(stores);

async function run(kind: Job['kind'], spec: object, key = 'a'.repeat(64)) {
  const job = { kind, spec } as unknown as Job;
  const inputs = {};
  const request = { key, campaign: 'c', step: kind, summary: kind, attempt: 'a', job, inputs };
  const seen = await jobs.submit(request);
  if (seen.state !== 'done' || seen.outcome.status !== 'ok') throw new Error('not done');
  return seen.outcome.manifest.outputs;
}

describe('made-up jobs', () => {
  it('are done when they are submitted, for every worker', async () => {
    const outputs = await run('rollout', {});
    expect(await stores.open.has(output(outputs, 'diag'))).toBe(true);
    const other = new SyntheticExecutor(stores);
    expect(await other.observe('a'.repeat(64))).toMatchObject({ state: 'done' });
  });

  it('leave sealed rows that the gate can read, the same for the same key', async () => {
    const spec = selectSpec(CONFIG, ['b0'], ['incumbent', 'b0']);
    const outputs = await run('evaluate', spec, 'b'.repeat(64));
    const rows = await readSealedRows(sealedAnalytics, [output(outputs, 'sealed/select')]);
    const { select_tasks, select_samples } = CONFIG.evaluation;
    expect(rows).toHaveLength(3 * select_tasks * select_samples);
    await expect(readSealedRows(analytics, [output(outputs, 'sealed/select')])).rejects.toThrow(
      'sealed root',
    );
  });
});

describe('made-up queries', () => {
  it('carry a generation from its diagnosis to its branches', async () => {
    const bench = await makeCampaignBench({ ...stores, analytics, sealedAnalytics });
    const { train, diag } = await run('rollout', {}, 'c'.repeat(64));
    const labeled = await run('evaluate', { mode: 'label', sets: ['x'] }, 'd'.repeat(64));
    if (!train || !diag) throw new Error('a rollout leaves two sets');
    const labels = output(labeled, 'labels/x');
    const rollouts = { train, diag, labels };
    const { harness, recipe } = bench;
    const incumbent = { ...candidate('warm'), recipe };
    const config = { ...CONFIG, interventions: 2 };
    const request = await stepRequest(stores.open, { config, incumbent, harness });
    const diagnose = { ...request, rollouts };
    const { health } = await asActivity(makeDiagnose(bench.portsOf), diagnose);
    const report = await readJson(stores.open, health, healthReportSchema);
    expect(report.findings.filter(({ fired }) => fired)).toHaveLength(1);
    const revise = { ...request, rollouts, health };
    const revision = await asActivity(makeRevise(bench.portsOf), revise);
    const propose = { ...request, revision, injected: [] };
    const { entry: proposals } = await asActivity(makePropose(bench.portsOf), propose);
    const backtest = { ...request, revision, rollouts, proposals };
    const { survivors } = await asActivity(makeBacktest(bench.portsOf), backtest);
    expect(survivors.length).toBeLessThanOrEqual(2);
    const sets = { incumbent: [diag], b0: [diag] };
    const detectors = await runDetectors(bench.ports, { harness: revision.harness, sets });
    expect(detectors.names.length).toBeGreaterThan(0);
    expect(detectors.readings.map(({ rate }) => rate.mean)).toEqual([0, 0]);
  });

  it('have no answer to a form that nobody foresaw', async () => {
    const asked = analytics.query({ sql: 'SELECT 1', tables: {} });
    await expect(asked).rejects.toThrow('SELECT 1');
  });
});
