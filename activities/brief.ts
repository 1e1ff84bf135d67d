// Opens the inquiries of a generation: each specialist's brief, and how much it may spend.
import type { z } from 'zod';
import { allotments, nothingSpent } from '../core/research/purse.ts';
import { entriesOf } from '../core/ledger.ts';
import { briefedSchema } from '../core/schemas/inquiry.ts';
import type { Granted } from '../core/schemas/approval.ts';
import type { GenerationContext } from '../core/schemas/generation-context.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';
import { revisedSchema } from '../core/schemas/ledger-entry.ts';
import type { StoredDesk } from '../core/schemas/desk.ts';
import type { Rollouts } from '../core/schemas/past-generation.ts';
import { GENERATIONS_SHOWN, readBriefs, readTried } from './inquiring/read-briefs.ts';
import { storeLink } from './inquiring/transcript.ts';
import { specialistsOf } from './inquiring/specialist-of.ts';
import type { CampaignPorts, PortsOf } from './ports/campaign-ports.ts';
import type { Store } from './ports/store.ts';
import type { Revised } from './revise.ts';
import { readLedger, readLedgerEnd } from './shared/ledger-end.ts';
import { finishStep, noSummary } from './shared/finish-step.ts';
import { openStep, type StepRequest } from './shared/step-request.ts';
import { readJson, storeJson } from './shared/store-json.ts';

export interface BriefRequest extends StepRequest {
  readonly revision: Pick<Revised, 'harness' | 'health' | 'memory' | 'entry'>;
  readonly rollouts: Rollouts;
  /** Budget that people added. */
  readonly granted: Granted;
}

/** Each specialist's brief and allotment, and what the campaign had spent before. */
export type Briefed = z.infer<typeof briefedSchema>;

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
        const briefed = await openInquiries(ports, context, request);
        return { outputs: { briefed: await storeJson(open, briefed) }, summary: {} };
      },
    );
    return readJson(open, outputs.briefed, briefedSchema);
  };

async function openInquiries(
  { stores: { open } }: CampaignPorts,
  context: GenerationContext,
  { revision, rollouts, granted }: BriefRequest,
): Promise<Briefed> {
  const { generation, incumbent, incumbentOptimizerMetrics: optimizerMetrics } = context;
  const { researcher } = context.config;
  const records = await readBack(open, context);
  const tried = readTried(generation, records);
  const { harness, health, memory } = revision;
  const { gaps } = (await readJson(open, revision.entry, revisedSchema)).body;
  const recipe = incumbent.recipe;
  const read = { generation, recipe, harness, health, memory, rollouts, optimizerMetrics };
  const desk = await storeJson(open, { version: 1, ...read, gaps, tried } satisfies StoredDesk);
  const spent = entriesOf(records, 'inquired').at(-1)?.body.campaignSpent ?? nothingSpent;
  const specialists = researcher === undefined ? [] : specialistsOf(researcher);
  if (researcher === undefined || specialists.length === 0) return { inquiries: [], desk, spent };
  const each = allotments(researcher.budget, granted, spent, specialists.length);
  if (each.tokens === 0 || each.microUsd === 0) return { inquiries: [], desk, spent };
  const texts = await readBriefs(open, { ...context, revision, tried });
  const inquiries = await Promise.all(
    texts.map(async ({ specialist, text }) => {
      const brief = await storeLink(open, null, { role: 'user', text });
      return { specialist, brief, ...each };
    }),
  );
  return { inquiries, desk, spent };
}

/** The last entries, or the whole ledger if those do not hold what was spent. */
async function readBack(
  store: Store,
  { config, generation }: GenerationContext,
): Promise<LedgerRecord[]> {
  const { name } = config;
  const end = await readLedgerEnd(
    store,
    name,
    ({ entry: { draft } }) =>
      draft.kind === 'branches-decided' && draft.generation <= generation - GENERATIONS_SHOWN,
  );
  const isWhole = (end[0]?.entry.number ?? 1) === 1;
  return isWhole || entriesOf(end, 'inquired').length > 0 ? end : readLedger(store, name);
}
