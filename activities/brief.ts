// Opens the inquiries of a generation: each specialist's brief, and how much it may spend.
import { ownsHarness } from '../core/research/roster.ts';
import { briefedSchema } from '../core/schemas/inquiry.ts';
import type { Granted } from '../core/schemas/approval.ts';
import { revisedSchema } from '../core/schemas/ledger-entry.ts';
import type { Rollouts } from '../core/schemas/past-generation.ts';
import { type Briefed, openInquiries } from './inquiring/open-inquiries.ts';
import { specialistsOf } from './inquiring/specialist-of.ts';
import type { PortsOf } from './ports/campaign-ports.ts';
import type { Revised } from './revise.ts';
import { finishStep, noSummary } from './shared/finish-step.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface BriefRequest extends StepRequest {
  readonly revision: Pick<Revised, 'harness' | 'health' | 'memory' | 'entry'>;
  readonly rollouts: Rollouts;
  /** Budget that people added. */
  readonly granted: Granted;
}

/** Idempotent by step key: what the ledger adds later, such as the cost of these inquiries, changes nothing. */
export const makeBrief =
  (portsOf: PortsOf) =>
  async (request: BriefRequest): Promise<Briefed> => {
    const { ports, context } = await openStep(portsOf, request);
    const { open } = ports.stores;
    const { harness, health, memory, entry } = request.revision;
    const { config, epoch, generation, incumbent } = context;
    const { outputs } = await finishStep(
      open,
      {
        step: 'brief',
        spec: {
          campaign: config.name,
          generation,
          researcher: config.researcher ?? null,
          granted: request.granted,
        },
        inputs: {
          harness,
          health,
          recipe: incumbent.recipe,
          memory,
          revision: entry,
          ...request.rollouts,
          optimizerMetrics: context.incumbentOptimizerMetrics,
        },
        trainerDigest: epoch.trainerDigest,
        redo: request.redo,
      },
      { outputs: ['briefed'], summary: noSummary },
      async () => {
        const { gaps } = (await readJson(open, entry, revisedSchema)).body;
        const { researcher } = config;
        const staff = researcher === undefined ? [] : specialistsOf(researcher);
        const briefed = await openInquiries(
          open,
          context,
          { harness, health, memory, rollouts: request.rollouts, gaps },
          { asked: staff.filter((one) => !ownsHarness(one)), granted: request.granted },
        );
        return { outputs: { briefed: await storeJson(open, briefed) }, summary: {} };
      },
    );
    return readJson(open, outputs.briefed, briefedSchema);
  };
