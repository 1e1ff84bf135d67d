// Holds the campaign's state, hears messages, and keeps the UI and the open generation informed.
import {
  CancellationScope,
  condition,
  getExternalWorkflowHandle,
  log,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { MessageAnswer } from '../core/campaign-view.ts';
import {
  applyHeard,
  applyInjection,
  applyMessage,
  applyView,
  applyWritten,
  campaignView,
  controlOf,
  type CampaignState,
} from '../core/campaign.ts';
import { campaignDetails } from '../core/campaign-details.ts';
import { refuseMessage } from '../core/decide-message.ts';
import { workflowIds } from '../core/ids.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { MessageName, NamedMessage } from '../core/schemas/messages.ts';
import type { StepName } from '../core/steps.ts';
import type { LedgerDraft } from '../core/schemas/ledger-entry.ts';
import { describeFailure } from './failures.ts';
import { controlSignal } from './listen-to-parent.ts';
import {
  handleMessages,
  isProgress,
  type Progress,
  progressSignal,
  readMessage,
  statusQuery,
} from './messages.ts';
import { quickly } from './proxies.ts';
import { searchAttributesOf } from './search-attributes.ts';

/** What a human asked for that ends the current attempt or wait. */
export type Demand =
  | { readonly kind: 'retry'; readonly from: StepName | undefined }
  | { readonly kind: 'skip'; readonly reason: string }
  | { readonly kind: 'abort'; readonly reason: string };

export class CampaignControl {
  readonly config: CampaignConfig;
  readonly scope: CampaignScope;
  state: CampaignState;
  /** Messages wait until the ledger has told what went before. */
  isOpen = false;
  demand: Demand | null = null;
  /** The scope of the open generation, so that retry and abort can cancel it. */
  open: CancellationScope | null = null;
  private shown = '';

  constructor(config: CampaignConfig, scope: CampaignScope, state: CampaignState) {
    this.config = config;
    this.scope = scope;
    this.state = state;
    setHandler(statusQuery, () => campaignView(this.config, this.state), {
      description: 'Where the campaign is, what it waits for, what it decided so far.',
    });
    setHandler(
      progressSignal,
      (progress) => {
        if (isProgress(progress)) this.hear(progress);
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

  /** Takes in what a generation tells of itself. */
  hear({ view, written }: Progress): void {
    this.change(applyWritten(applyView(this.state, view), written));
  }

  ready = async (): Promise<void> => {
    await condition(() => this.state.pause === null || this.demand?.kind === 'abort');
  };

  pausedBy = (): 'drain' | 'checkpoint' | null => this.state.pause?.mode ?? null;

  /** Waits until a human demands something. */
  async demanded(): Promise<Demand> {
    await condition(() => this.demand !== null);
    const { demand } = this;
    if (demand === null) throw new RangeError('woken without a demand');
    this.demand = null;
    return demand;
  }

  /** Appends to the ledger, after the messages that were heard since the last time. */
  async record(drafts: readonly LedgerDraft[]): Promise<void> {
    const waiting = this.state.drafts;
    if (waiting.length + drafts.length === 0) return;
    await CancellationScope.nonCancellable(async () =>
      quickly('ledger').appendLedger({ scope: this.scope, drafts: [...waiting, ...drafts] }),
    );
    this.change({
      ...this.state,
      drafts: this.state.drafts.filter((draft) => !waiting.includes(draft)),
    });
  }

  /** Appends now where the ledger can be written, else with the next entry: a campaign that parks must not fail. */
  async recordOrKeep(drafts: readonly LedgerDraft[]): Promise<void> {
    try {
      await this.record(drafts);
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
    await condition(() => this.isOpen);
    const given = textField(payload, 'id');
    if (given !== null && this.state.heardIds.includes(given)) {
      return { accepted: true, reason: `message ${given} was heard before` };
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
    if (this.demand?.kind === 'abort') return 'the campaign is being aborted';
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
      case 'abort':
        this.demand = { kind: message.name, reason: message.reason };
    }
    this.open?.cancel();
    return null;
  }

  /** Returns the reason when it turns out not to be applicable, or when nobody can tell. */
  private async takeInjection(
    message: Extract<NamedMessage, { name: 'inject' }>,
    number: number,
  ): Promise<string | null> {
    const { incumbent, harness } = this.state;
    const id = `h${number}`;
    const checked = await quickly(`checkInjection.${id}`)
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

  /** Tells the open generation; one that has just closed needs no telling. Never throws, as handlers must not. */
  async relay(): Promise<void> {
    const { generation, attempt } = this.state;
    if (this.open === null || generation === 0) return;
    const child = workflowIds.generation(this.config.name, generation, attempt);
    await getExternalWorkflowHandle(child)
      .signal(controlSignal, controlOf(this.state))
      .catch((error: unknown) => {
        log.warn('the open generation could not be told', { child, error: String(error) });
      });
  }
}

/** A text field of what came from outside, at most 200 characters. */
function textField(payload: unknown, name: string): string | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const value: unknown = Object.entries(payload).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value.slice(0, 200) : null;
}
