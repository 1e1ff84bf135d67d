// A campaign as commands reach it: its status, its messages, and how to say that it cannot be reached.
import {
  isGrpcServiceError,
  type WorkflowExecutionDescription,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  QueryNotRegisteredError,
} from '@temporalio/client';
import type { CampaignView, MessageAnswer } from '../core/campaign-view.ts';
import { workflowIds } from '../core/ids.ts';
import type { MessageInput, MessageName } from '../core/schemas/messages.ts';
import type { Connected } from './connect.ts';
import { CommandError, EXIT } from './exit.ts';

const DEADLINE_EXCEEDED = 4;

export class Campaign {
  readonly name: string;
  readonly #connected: Connected;
  readonly #handle: WorkflowHandle;

  constructor(connected: Connected, name: string) {
    this.name = name;
    this.#connected = connected;
    this.#handle = connected.client.workflow.getHandle(workflowIds.campaign(name));
  }

  /** The page of the campaign in the Temporal UI; null where no UI is known. */
  get uiAddress(): string | null {
    const { ui, environment } = this.#connected;
    const id = encodeURIComponent(workflowIds.campaign(this.name));
    return ui && `${ui}/namespaces/${environment.temporal.namespace}/workflows/${id}`;
  }

  view(): Promise<CampaignView> {
    return this.#ask(() => this.#handle.query<CampaignView>('status'));
  }

  describe(): Promise<WorkflowExecutionDescription> {
    return this.#ask(() => this.#handle.describe());
  }

  /** Sends a message as an update, and tells what it did. */
  async send<Name extends MessageName>(
    name: Name,
    payload: MessageInput<Name>,
  ): Promise<MessageAnswer> {
    try {
      return await this.#ask(() =>
        this.#handle.executeUpdate<MessageAnswer, [MessageInput<Name>]>(name, { args: [payload] }),
      );
    } catch (error) {
      if (!(error instanceof WorkflowUpdateFailedError)) throw error;
      return { accepted: false, reason: error.cause?.message ?? error.message };
    }
  }

  async #ask<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#connected.client.withDeadline(Date.now() + 15_000, question);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    if (error instanceof WorkflowNotFoundError) {
      const closed = /already completed/.test(error.message);
      return closed
        ? new CommandError(EXIT.refused, `campaign ${this.name} has ended and hears no messages`)
        : new CommandError(
            EXIT.unreachable,
            `there is no campaign ${this.name} here: evo status lists those there are`,
          );
    }
    const silent =
      (isGrpcServiceError(error) && error.code === DEADLINE_EXCEEDED) ||
      (error instanceof Error &&
        /no poller|deadline/i.test(`${error.message} ${String(error.cause)}`));
    if (silent || error instanceof QueryNotRegisteredError) {
      const what = `no worker answers for campaign ${this.name}`;
      return new CommandError(EXIT.unreachable, `${what}: evo doctor tells more`);
    }
    return error;
  }
}

export interface ListedCampaign {
  readonly name: string;
  readonly status: string;
  readonly phase: string | null;
  readonly generation: number | null;
  readonly score: number | null;
  readonly startedAt: string;
}

/** Every campaign that the server knows, newest first. */
export async function listCampaigns({ client }: Connected): Promise<ListedCampaign[]> {
  const found: ListedCampaign[] = [];
  const campaigns = client.workflow.list({ query: 'WorkflowType = "campaignWorkflow"' });
  const seen = new Set<string>();
  for await (const campaign of campaigns) {
    if (seen.has(campaign.workflowId)) continue;
    seen.add(campaign.workflowId);
    const attribute = (name: string): unknown => {
      const value: unknown = Object.entries(campaign.searchAttributes).find(
        ([key]) => key === name,
      )?.[1];
      return Array.isArray(value) ? value[0] : value;
    };
    const [phase, generation, selectMean] = ['EvoPhase', 'EvoGeneration', 'EvoScore'].map(
      attribute,
    );
    found.push({
      name: campaign.workflowId.replace(/^evo\//, ''),
      status: campaign.status.name.toLowerCase(),
      phase: typeof phase === 'string' ? phase : null,
      generation: typeof generation === 'number' ? generation : null,
      score: typeof selectMean === 'number' ? selectMean : null,
      startedAt: campaign.startTime.toISOString(),
    });
  }
  return found;
}
