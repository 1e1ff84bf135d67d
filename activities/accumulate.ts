// Closes a generation: decides its branches, scores what they promised, and turns what worked into skills.
import { findDrift } from '../core/backtest/drift.ts';
import { scoreForecasts } from '../core/backtest/forecasts.ts';
import { decideBranches, type DecidedBranch } from '../core/branch.ts';
import { decidedDrafts } from '../core/drafts.ts';
import type {
  BranchOutcome,
  Evidence,
  GateVerdict,
  GenerationInput,
  Screened,
} from '../core/generation.ts';
import { differencesFrom } from '../core/harness/health.ts';
import { CONTROL } from '../core/ids.ts';
import { remember } from '../core/memory.ts';
import { output } from '../core/plan.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { ScoredForecast } from '../core/schemas/forecast.ts';
import type { Intervention } from '../core/schemas/intervention.ts';
import { type HealthReport, healthReportSchema } from '../core/schemas/harness.ts';
import {
  backtestedSchema,
  type Candidate,
  type PastGeneration,
} from '../core/schemas/ledger-entry.ts';
import { recordSkills, type SkillUse } from '../core/skills.ts';
import { readMemory, storeMemory } from './shared/stored-memory.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Store } from './ports/store.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface AccumulateRequest {
  readonly generation: Pick<
    GenerationInput,
    'scope' | 'generation' | 'incumbent' | 'incumbentSteps' | 'memory'
  >;
  readonly evidence: Evidence;
  readonly health: ArtifactRef;
  readonly bottleneck: string | null;
  /** What backtest stored. */
  readonly backtested: ArtifactRef;
  readonly results: readonly (BranchOutcome & {
    readonly intervention: Pick<Intervention, 'id' | 'operator' | 'predicted'> | null;
  })[];
  /** Outputs of `evaluate.select`. */
  readonly measured: Readonly<Record<string, ArtifactRef>>;
  /** Health report of each trained branch's DIAG set. */
  readonly branchHealth: Readonly<Record<string, ArtifactRef>>;
  readonly screened: Screened;
  readonly verdict: GateVerdict | null;
}

export interface Accumulated {
  readonly decided: readonly Pick<DecidedBranch, 'branch' | 'decision' | 'why'>[];
  readonly incumbent: Candidate;
  readonly incumbentSteps: ArtifactRef | null;
  /** The campaign's memory with this generation in it. */
  readonly memory: ArtifactRef;
  readonly skillsKnown: number;
  /** What a human should hear of: backtests that drift. */
  readonly notices: readonly string[];
  /** The ledger entries that close the generation, stored. */
  readonly entries: readonly ArtifactRef[];
}

/** Idempotent: equal requests make equal objects. */
export const makeAccumulate =
  (portsOf: PortsOf) =>
  async (request: AccumulateRequest): Promise<Accumulated> => {
    const { generation, results, screened, verdict } = request;
    const { open } = portsOf(generation.scope).stores;
    const reports = await readReports(open, request.branchHealth);
    const observed = differencesFromControl(reports);
    const decision = decideBranches({
      branches: results.map((result) => ({
        branch: result.branch,
        intervention: result.intervention,
        failure: result.status === 'ok' ? null : { kind: result.kind, message: result.message },
        candidate: result.status === 'ok' ? result.candidate : null,
        bottleneck: reports[result.branch]?.bottleneck ?? null,
        observed: observed[result.branch] ?? {},
      })),
      screened: screened.branches,
      verdict,
      incumbent: {
        ...generation.incumbent,
        selectMean: screened.incumbentSelectMean ?? generation.incumbent.selectMean,
      },
    });
    const past = pastGeneration(request, decision.branches);
    const memory = await readMemory(open, generation.memory);
    const skillsChanged = recordSkills(memory.skills, usesOf(request, decision.branches));
    const forecasts = await forecastsOf(open, request, decision.branches);
    const remembered = remember(memory, past, skillsChanged, forecasts);
    const drift = findDrift(remembered.forecasts);
    const decided = { ...decision, forecasts, drift, past };
    const entries = decidedDrafts(generation.generation, decided, skillsChanged);
    const promoted = results.find(({ branch }) =>
      decision.branches.some((one) => one.branch === branch && one.decision === 'promote'),
    );
    return {
      decided: decision.branches.map(({ branch, decision: made, why }) => ({
        branch,
        decision: made,
        why,
      })),
      incumbent: decision.incumbent,
      incumbentSteps:
        promoted?.status === 'ok' ? promoted.artifacts.metrics : generation.incumbentSteps,
      memory: await storeMemory(open, remembered),
      skillsKnown: remembered.skills.length,
      notices: drift.map(({ why }) => why),
      entries: await Promise.all(entries.map(async (entry) => storeJson(open, entry))),
    };
  };

/** What backtest foresaw of the branches, against their differences from b0 on SELECT. */
async function forecastsOf(
  store: Store,
  { generation, backtested, results }: AccumulateRequest,
  decided: readonly DecidedBranch[],
): Promise<ScoredForecast[]> {
  const { forecasts } = (await readJson(store, backtested, backtestedSchema)).body;
  const observed = results.flatMap(({ branch, intervention }) => {
    const effect = decided.find((one) => one.branch === branch)?.effect ?? null;
    return intervention === null ? [] : [{ branch, intervention: intervention.id, effect }];
  });
  return scoreForecasts(generation.generation, forecasts, observed);
}

async function readReports(
  store: Store,
  reports: Readonly<Record<string, ArtifactRef>>,
): Promise<Readonly<Record<string, HealthReport>>> {
  const read = Object.entries(reports).map(
    async ([branch, ref]) => [branch, await readJson(store, ref, healthReportSchema)] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

/** Metric by metric, each branch's value minus the control's on their DIAG sets. */
function differencesFromControl(
  reports: Readonly<Record<string, HealthReport>>,
): Readonly<Record<string, Readonly<Record<string, number | null>>>> {
  const base = reports[CONTROL];
  if (base === undefined) return {};
  const differences = Object.entries(reports).map(
    ([branch, report]) => [branch, differencesFrom(base, report)] as const,
  );
  return Object.fromEntries(differences);
}

function pastGeneration(
  request: AccumulateRequest,
  decided: readonly DecidedBranch[],
): PastGeneration {
  const { generation, evidence, health, bottleneck, results, measured, branchHealth } = request;
  return {
    generation: generation.generation,
    evidence,
    health,
    bottleneck,
    optimizerMetrics: generation.incumbentSteps,
    branches: results.flatMap((result) => {
      if (result.status !== 'ok') return [];
      const { branch, intervention, artifacts } = result;
      const own = decided.find((one) => one.branch === branch);
      return [
        {
          branch,
          operator: intervention?.operator ?? null,
          diag: artifacts.diag,
          optimizerMetrics: artifacts.metrics,
          labels: output(measured, `labels/${branch}`),
          health: output(branchHealth, branch),
          effect: own?.effect ?? null,
          decision: own?.decision ?? 'keep',
        },
      ];
    }),
  };
}

function usesOf(
  { generation, bottleneck, results, screened }: AccumulateRequest,
  decided: readonly DecidedBranch[],
): SkillUse[] {
  return results.flatMap((result) => {
    const effect = decided.find(({ branch }) => branch === result.branch)?.effect ?? null;
    if (
      result.status !== 'ok' ||
      result.intervention === null ||
      effect === null ||
      bottleneck === null
    )
      return [];
    const verdict = screened.branches.find(({ branch }) => branch === result.branch)?.verdict;
    return [
      {
        trigger: bottleneck,
        operator: result.intervention.operator,
        domain: generation.scope.domain,
        effect,
        isRefused: verdict === 'reject',
        evidence: [result.candidate.policy.sha256, result.artifacts.diag.sha256],
      },
    ];
  });
}
