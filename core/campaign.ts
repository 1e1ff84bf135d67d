// The state of a campaign and its folds: the one object that the query shows, continue-as-new carries and tests call.
import type { CampaignPhase, CampaignView, GenerationView } from './campaign-view.ts';
import type { DraftOf } from './drafts.ts';
import type { ControlState, Epoch, GenerationResult } from './generation.ts';
import type { ArtifactRef } from './schemas/artifact.ts';
import type { CampaignConfig } from './schemas/campaign-config.ts';
import type { Intervention } from './schemas/intervention.ts';
import type { Candidate, LedgerDraft } from './schemas/ledger-entry.ts';
import { STEPS, type StepName } from './steps.ts';

export interface ReceivedMessage {
  readonly message: string;
  readonly id: string;
  readonly by: string | null;
  readonly accepted: boolean;
  readonly reason: string | null;
}

export interface CampaignState {
  readonly phase: CampaignPhase;
  readonly epoch: Epoch | null;
  /** The generation to play next, or the open one. 0 until calibrated. */
  readonly generation: number;
  readonly attempt: number;
  readonly redo: Readonly<Partial<Record<StepName, number>>>;
  readonly incumbent: Candidate | null;
  readonly incumbentSteps: ArtifactRef | null;
  readonly harness: ArtifactRef | null;
  /** What decided generations left; null until there is one. */
  readonly memory: ArtifactRef | null;
  readonly skillsKnown: number;
  readonly testsSpent: number;
  readonly pause: CampaignView['pause'];
  readonly parked: CampaignView['parked'];
  readonly injected: readonly {
    readonly intervention: Intervention;
    readonly generation: number | null;
  }[];
  readonly messages: readonly ReceivedMessage[];
  readonly messageCount: number;
  /** Ids that senders gave to messages which were taken, newest last. */
  readonly heardIds: readonly string[];
  /** What the ledger has still to be told of humans' messages and of what came of them; it skips what it already has. */
  readonly drafts: readonly LedgerDraft[];
  readonly stopRequested: boolean;
  readonly generations: readonly GenerationView[];
}

/** How much a campaign remembers in its own state, which every continued run carries; the ledger has everything. */
export const LIMITS = { messages: 20, heardIds: 200, generations: 5 } as const;

/** A campaign whose history holds more at a generation's end continues as new: another generation and its state fit below 100 kB. */
export const HISTORY_BYTES_MAX = 40_000;

/** How a campaign's workflow shows in lists, and what it tells of where its archive is. */
export const campaignStart = (config: CampaignConfig, configDigest: string) => ({
  memo: { configDigest, store: config.store, sealedStore: config.sealed_store },
  staticSummary: `${config.domain}, generations: ${config.generations}, interventions in each: ${config.interventions}`,
});

export const emptyCampaign: CampaignState = {
  phase: 'calibrating',
  epoch: null,
  generation: 0,
  attempt: 1,
  redo: {},
  incumbent: null,
  incumbentSteps: null,
  harness: null,
  memory: null,
  skillsKnown: 0,
  testsSpent: 0,
  pause: null,
  parked: null,
  injected: [],
  messages: [],
  messageCount: 0,
  heardIds: [],
  drafts: [],
  stopRequested: false,
  generations: [],
};

/** Calibration is done: the first incumbent is the warm start, and generation 1 is next. */
export function applyCalibration(
  state: CampaignState,
  calibrated: { readonly epoch: Epoch; readonly harness: ArtifactRef },
): CampaignState {
  return {
    ...state,
    phase: 'evolving',
    epoch: calibrated.epoch,
    incumbent: calibrated.epoch.warmStart,
    harness: calibrated.harness,
    generation: 1,
    attempt: 1,
    redo: {},
  };
}

/** A decided generation: its incumbent, harness and skills are the next one's. */
export function applyGeneration(state: CampaignState, result: GenerationResult): CampaignState {
  return {
    ...state,
    incumbent: result.incumbent,
    incumbentSteps: result.incumbentSteps,
    harness: result.harness,
    memory: result.memory,
    skillsKnown: result.skillsKnown,
    testsSpent: result.testsSpent,
    injected: state.injected.filter(
      ({ intervention }) => !result.injectedUsed.includes(intervention.id),
    ),
    generations: withView(state.generations, result.view),
    ...nextGeneration(state.generation),
  };
}

/** A parked generation that a human leaves undecided. */
export const applySkip = (state: CampaignState): CampaignState => ({
  ...state,
  ...nextGeneration(state.generation),
});

const nextGeneration = (generation: number) => ({
  phase: 'evolving' as const,
  generation: generation + 1,
  attempt: 1,
  redo: {},
  parked: null,
});

/** The generation closed without a decision and waits for retry, skip or abort; a test that it reserved stays spent. */
export function applyParked(
  state: CampaignState,
  failure: { readonly step: string; readonly reason: string; readonly testsSpent: number },
): CampaignState {
  const { step, reason } = failure;
  return {
    ...state,
    phase: 'parked',
    parked: { generation: state.generation, step, reason },
    testsSpent: Math.max(state.testsSpent, failure.testsSpent),
  };
}

/** Attempt a+1; with `from`, that step and all after it get new keys, which a campaign taken up again must know. */
export function applyRetry(state: CampaignState, from: StepName | undefined): CampaignState {
  const opened = { ...state, phase: 'evolving', parked: null, attempt: state.attempt + 1 } as const;
  if (from === undefined) return opened;
  const redo = { ...state.redo };
  for (const step of STEPS.slice(STEPS.indexOf(from))) redo[step] = (redo[step] ?? 0) + 1;
  return { ...opened, redo, drafts: [...state.drafts, retried(state.generation, { from, redo })] };
}

const retried = (
  generation: number,
  body: DraftOf<'generation-retried'>['body'],
): DraftOf<'generation-retried'> => ({
  kind: 'generation-retried',
  generation,
  by: 'human',
  body,
});

/** A human's intervention waits for a place in the generation it is meant for; null = in the next propose. */
export const applyInjection = (
  state: CampaignState,
  body: CampaignState['injected'][number],
): CampaignState => ({
  ...state,
  injected: [...state.injected, body],
  drafts: [
    ...state.drafts,
    { kind: 'intervention-injected', generation: state.generation, by: 'human', body },
  ],
});

/** What tells one waiting entry from another, in few letters; an id that was refused may come again. */
export function waitingKey(draft: LedgerDraft): string {
  switch (draft.kind) {
    case 'message-received':
      return `${draft.body.id}: ${draft.body.reason ?? 'taken'}`;
    case 'intervention-injected':
      return `intervention ${draft.body.intervention.id}`;
    default:
      return JSON.stringify(draft);
  }
}

/** The ledger has these entries, by their keys. */
export const applyWritten = (state: CampaignState, written: readonly string[]): CampaignState => ({
  ...state,
  drafts: state.drafts.filter((draft) => !written.includes(waitingKey(draft))),
});

/** Keeps the newest view of each generation, in order. */
export function applyView(state: CampaignState, view: GenerationView): CampaignState {
  return { ...state, generations: withView(state.generations, view) };
}

function withView(views: readonly GenerationView[], view: GenerationView): GenerationView[] {
  return [...views.filter(({ generation }) => generation !== view.generation), view]
    .sort((left, right) => left.generation - right.generation)
    .slice(-LIMITS.generations);
}

/** Counts a message and reserves its id, before anything is awaited: what comes twice meanwhile is heard once. */
export const applyHeard = (state: CampaignState, id: string | null): CampaignState => ({
  ...state,
  messageCount: state.messageCount + 1,
  heardIds: id === null ? state.heardIds : [...state.heardIds, id].slice(-LIMITS.heardIds),
});

/** Records a message with its fate, for the query and as a ledger entry. The id of a refused one may come again. */
export function applyMessage(
  state: CampaignState,
  received: ReceivedMessage & { readonly payload: unknown },
): CampaignState {
  const { payload, ...message } = received;
  const heardIds = message.accepted
    ? state.heardIds
    : state.heardIds.filter((id) => id !== message.id);
  return {
    ...state,
    messages: [...state.messages, message].slice(-LIMITS.messages),
    heardIds,
    drafts: [
      ...state.drafts,
      {
        kind: 'message-received',
        generation: state.generation,
        by: 'human',
        body: { ...message, payload: plainJson(payload) },
      },
    ],
  };
}

/** What came from outside, as JSON of at most 4,000 characters. */
function plainJson(value: unknown): string {
  return (JSON.stringify(value) ?? 'null').slice(0, 4000);
}

/** What the open generation must know, always whole. */
export function controlOf(state: CampaignState): ControlState {
  return {
    pause: state.pause?.mode ?? null,
    injected: state.injected
      .filter(({ generation }) => generation === null || generation === state.generation)
      .map(({ intervention }) => intervention),
    messages: state.drafts,
  };
}

export const hasMoreGenerations = (state: CampaignState, config: CampaignConfig): boolean =>
  !state.stopRequested && state.generation <= config.generations;

/** The answer of the `status` query. */
export function campaignView(config: CampaignConfig, state: CampaignState): CampaignView {
  const open = state.generations.find(({ generation }) => generation === state.generation);
  return {
    campaign: config.name,
    domain: config.domain,
    phase: state.pause !== null && isOpen(state.phase) ? 'paused' : state.phase,
    generation: Math.min(
      // A stop ends it before the next one opens.
      state.phase === 'stopped' ? state.generation - 1 : state.generation,
      config.generations,
    ),
    generationsPlanned: config.generations,
    step: isOpen(state.phase)
      ? state.phase === 'calibrating'
        ? 'calibrate'
        : (open?.step ?? null)
      : null,
    incumbent: state.incumbent && {
      policy: state.incumbent.policy.sha256,
      recipe: state.incumbent.recipe.sha256,
      selectMean: state.incumbent.selectMean,
      conditional: state.incumbent.conditional,
    },
    warmStartSelectMean: state.epoch?.warmStart.selectMean ?? null,
    testsSpent: state.testsSpent,
    pause: state.pause,
    parked: state.parked,
    pendingInterventions: state.injected.map(({ intervention }) => ({
      id: intervention.id,
      operator: intervention.operator,
      hypothesis: intervention.hypothesis,
    })),
    messages: state.messages,
    generations: state.generations,
    skills: state.skillsKnown,
  };
}

const isOpen = (phase: CampaignPhase): boolean => phase === 'calibrating' || phase === 'evolving';
