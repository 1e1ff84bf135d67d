// Closes a generation whose incumbent was withdrawn: nothing was trained, and who held the place before holds it again.
import { findDrift } from '../core/backtest/drift.ts';
import { decidedDrafts } from '../core/drafts.ts';
import type { Evidence, GenerationInput } from '../core/generation.ts';
import { remember } from '../core/memory.ts';
import type { ArtifactRef } from '../core/schemas/artifact.ts';
import type { PastGeneration } from '../core/schemas/ledger-entry.ts';
import type { Accumulated } from './accumulate.ts';
import { readMemory, storeMemory } from './shared/stored-memory.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Revised } from './revise.ts';
import { storeJson } from './shared/store-json.ts';

export interface WithdrawRequest {
  readonly generation: Pick<
    GenerationInput,
    'scope' | 'generation' | 'incumbent' | 'incumbentSteps' | 'memory'
  >;
  readonly evidence: Evidence;
  readonly health: ArtifactRef;
  readonly bottleneck: string | null;
  readonly reverted: NonNullable<Revised['reverted']>;
}

/** Idempotent: equal requests make equal objects. */
export const makeWithdraw =
  (portsOf: PortsOf) =>
  async (request: WithdrawRequest): Promise<Accumulated> => {
    const { generation, evidence, health, bottleneck, reverted } = request;
    const { open } = portsOf(generation.scope).stores;
    const { branch, candidate, steps } = reverted;
    const why = `promoted in generation ${reverted.generation}, withdrawn: ${reverted.why}`;
    const withdrawn = {
      branch,
      outcome: 'regression' as const,
      selectMean: generation.incumbent.selectMean,
      decision: 'revert' as const,
      effect: null,
      predicted: [],
      bottleneck: null,
      why,
    };
    const past: PastGeneration = {
      generation: generation.generation,
      evidence,
      health,
      bottleneck,
      optimizerMetrics: generation.incumbentSteps,
      branches: [],
    };
    const memory = remember(await readMemory(open, generation.memory), past, [], []);
    const drift = findDrift(memory.forecasts);
    const entries = decidedDrafts(
      generation.generation,
      { branches: [withdrawn], forecasts: [], drift, past, incumbent: candidate },
      [],
    );
    return {
      decided: [{ branch, decision: 'revert', why }],
      incumbent: candidate,
      incumbentSteps: steps,
      memory: await storeMemory(open, memory),
      skillsKnown: memory.skills.length,
      notices: [`${branch} ${why}`],
      entries: await Promise.all(entries.map(async (entry) => storeJson(open, entry))),
    };
  };
