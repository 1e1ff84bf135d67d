// A campaign while it runs: holds its state, takes messages, and informs the UI and the current generation.
import {
  CancellationScope,
  condition,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { MessageAnswer } from '../core/campaign-view.ts';
import {
  applyAbort,
  applyHeard,
  applyInjection,
  applyMessage,
  applyView,
  applyWritten,
  instructionsOf,
  type CampaignState,
} from '../core/campaign.ts';
import { campaignDetails } from '../core/campaign-details.ts';
import { refuseMessage } from '../core/decide-message.ts';
import { workflowIds } from '../core/ids.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { MessageName, NamedMessage } from '../core/schemas/messages.ts';
import { campaignView } from '../core/show-campaign.ts';
import type { StepName } from '../core/steps.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';
import { describeFailure } from './failures.ts';
import { instruct } from './instructions.ts';
import { LedgerOutbox } from './ledger-outbox.ts';
import {
  handleMessages,
  isProgress,
  type Progress,
  progressSignal,
  readMessage,
  statusQuery,
} from './messages.ts';
import { activity } from './activity.ts';
import { searchAttributesOf } from './search-attributes.ts';

/** A human's retry or skip, which ends the current attempt or wait. An abort is state, since it ends everything. */
export type Demand =
  | { readonly kind: 'retry'; readonly from: StepName | undefined }
  | { readonly kind: 'skip'; readonly reason: string };

export class LiveCampaign {
  readonly config: CampaignConfig;
  readonly scope: CampaignScope;
  state: CampaignState;
  /** Messages wait until the state is restored from the ledger. */
  takesMessages = false;
  demand: Demand | null = null;
  /** The scope of the current attempt, so that retry and abort can cancel it; null between attempts. */
  attemptScope: CancellationScope | null = null;
  private readonly outbox: LedgerOutbox;
  private shown = '';

  constructor(config: CampaignConfig, scope: CampaignScope, state: CampaignState) {
    this.config = config;
    this.scope = scope;
    this.state = state;
    this.outbox = new LedgerOutbox(
      scope,
      () => this.state.drafts,
      (written) => {
        const drafts = this.state.drafts.filter((draft) => !written.includes(draft));
        this.change({ ...this.state, drafts });
      },
    );
    setHandler(statusQuery, () => campaignView(this.config, this.state), {
      description: 'Where the campaign is, what it waits for and what it has decided so far.',
    });
    setHandler(
      progressSignal,
      (progress) => {
        if (isProgress(progress)) this.applyProgress(progress);
      },
      { description: 'Internal: an open generation reports where it is.' },
    );
    handleMessages(async (name, payload) => this.receive(name, payload));
    this.publish();
  }

  change(state: CampaignState): void {
    this.state = state;
    this.publish();
  }

  /** Takes over a generation's view of itself. */
  applyProgress({ view, written }: Progress): void {
    this.change(applyWritten(applyView(this.state, view), written));
  }

  get isAborting(): boolean {
    return this.state.aborting !== null;
  }

  /** Resolves when no pause is in force, or when the campaign is being aborted. */
  unpaused = async (): Promise<void> => {
    await condition(() => this.state.pause === null || this.isAborting);
  };

  pausedBy = (): 'drain' | 'checkpoint' | null => this.state.pause?.mode ?? null;

  /** Takes the pending retry or skip, if there is one. */
  takeDemand(): Demand | null {
    const { demand } = this;
    this.demand = null;
    return demand;
  }

  /** Appends to the ledger, after the entries of messages that came since the last time. */
  async append(drafts: readonly LedgerDraft[]): Promise<void> {
    await CancellationScope.nonCancellable(async () => this.outbox.append(drafts));
  }

  /** Appends at once if the ledger can be written, else with the next entry: a campaign that parks must not fail. */
  async appendOrKeep(drafts: readonly LedgerDraft[]): Promise<void> {
    try {
      await this.append(drafts);
    } catch (error) {
      log.warn('the ledger could not be written yet', { error: String(error) });
      this.change({ ...this.state, drafts: [...this.state.drafts, ...drafts] });
    }
  }

  private publish(): void {
    setCurrentDetails(campaignDetails(campaignView(this.config, this.state)));
    const attributes = searchAttributesOf(this.config, this.state);
    const shown = JSON.stringify(attributes);
    // Each upsert is an event of the history.
    if (shown !== this.shown) upsertSearchAttributes(attributes);
    this.shown = shown;
  }

  private async receive(name: MessageName, payload: unknown): Promise<MessageAnswer> {
    await condition(() => this.takesMessages);
    const given = textField(payload, 'id');
    if (given !== null && this.state.heardIds.includes(given)) {
      return { accepted: true, reason: `message ${given} was received before` };
    }
    this.change(applyHeard(this.state, given));
    const number = this.state.messageCount;
    const read = readMessage(name, payload);
    const reason = 'fault' in read ? read.fault : await this.refuseOrTake(read.message, number);
    const answer = { accepted: reason === null, reason };
    this.change(
      applyMessage(this.state, {
        message: name,
        id: given ?? `message-${number}`,
        by: textField(payload, 'by'),
        payload: 'fault' in read ? payload : read.message,
        ...answer,
      }),
    );
    await this.relay();
    return answer;
  }

  private async refuseOrTake(message: NamedMessage, number: number): Promise<string | null> {
    const refusal = refuseMessage(message, this.state, this.config);
    if (refusal !== null) return refusal;
    if (this.isAborting) return 'the campaign is being aborted';
    return message.name === 'inject' ? this.takeInjection(message, number) : this.take(message);
  }

  private take(message: Exclude<NamedMessage, { name: 'inject' }>): null {
    const { state } = this;
    switch (message.name) {
      case 'pause': {
        const { mode, reason = null, by = null } = message;
        this.change({ ...state, pause: { mode, reason, by } });
        return null;
      }
      case 'resume':
        this.change({ ...state, pause: null });
        return null;
      case 'stop':
        this.change({ ...state, stopRequested: true });
        return null;
      case 'retry':
        this.demand = { kind: 'retry', from: message.from };
        break;
      case 'skip':
        this.demand = { kind: 'skip', reason: message.reason };
        break;
      case 'abort':
        this.change(applyAbort(state, message.reason));
    }
    this.attemptScope?.cancel();
    return null;
  }

  /** Returns the reason if it does not apply, or if that could not be checked. */
  private async takeInjection(
    message: Extract<NamedMessage, { name: 'inject' }>,
    number: number,
  ): Promise<string | null> {
    const { incumbent, harness } = this.state;
    const id = `h${number}`;
    const checked = await activity(`checkInjection.${id}`)
      .checkInjection({
        scope: this.scope,
        config: this.config,
        recipe: incumbent?.recipe ?? null,
        harness,
        injected: message.intervention,
        id,
      })
      .catch((error: unknown) => ({
        reason: `it could not be checked: ${describeFailure(error).reason}`,
      }));
    if ('reason' in checked) return checked.reason;
    const late = refuseMessage(message, this.state, this.config);
    if (late !== null) return late;
    const { generation = null } = message;
    this.change(applyInjection(this.state, { intervention: checked.intervention, generation }));
    return null;
  }

  /** Sends the newest instructions to the current generation. Never throws, because handlers must not. */
  async relay(): Promise<void> {
    const { generation, attempt } = this.state;
    if (this.attemptScope === null || generation === 0) return;
    const child = workflowIds.generation(this.config.name, generation, attempt);
    await instruct(child, instructionsOf(this.state));
  }
}

/** A text field of a payload from outside, at most 200 characters. */
function textField(payload: unknown, name: string): string | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const value: unknown = Object.entries(payload).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value.slice(0, 200) : null;
}
