// Every human control, as a signal and, with validation and an answer, as an update of the same name.
import {
  ApplicationFailure,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import type { CampaignView, MessageAnswer } from '../core/campaign-view.ts';
import type { GenerationView } from '../core/campaign-view.ts';
import { isGenerationView } from '../core/generation-view.ts';
import { Undecodable } from './payload-converter.ts';
import { messageSchema, type MessageName, type NamedMessage } from '../core/schemas/messages.ts';

export const statusQuery = defineQuery<CampaignView>('status');

/** Internal: an open generation tells the campaign where it is and which messages, by key, it wrote to the ledger. */
export const progressSignal = defineSignal<[Progress]>('progress');

export interface Progress {
  readonly view: GenerationView;
  readonly written: readonly string[];
}

export function isProgress(value: unknown): value is Progress {
  const { view, written } = { view: null, written: null, ...Object(value) };
  return isGenerationView(view) && Array.isArray(written);
}

const optional =
  'Optional in every message: "id" (heard once, however often it is sent) and "by" (who sends it).';
const DESCRIPTIONS: Readonly<Record<MessageName, string>> = {
  pause: `{"mode"?: "drain" | "checkpoint", "reason"?: string}. drain: running jobs finish, nothing new starts. checkpoint: jobs write a checkpoint and free their slots. ${optional}`,
  resume: `{}. Goes on where pause stopped. ${optional}`,
  inject: `{"intervention": {"operator" | "patch", "hypothesis", "successCriterion"?}, "generation"?: number}. Takes a place among the K interventions of the next propose. ${optional}`,
  retry: `{"from"?: step, "reason"?: string}. Another attempt of the parked or open generation; finished steps are reused, with "from" that step and all after it run anew. ${optional}`,
  skip: `{"reason": string}. Leaves a parked generation undecided and goes on. ${optional}`,
  stop: `{}. Ends after the open generation. ${optional}`,
  abort: `{"reason": string}. Cancels everything now, ends its jobs, keeps the incumbent. ${optional}`,
};

export const MESSAGE_NAMES = [
  'pause',
  'resume',
  'inject',
  'retry',
  'skip',
  'stop',
  'abort',
] as const satisfies readonly MessageName[];

/** Registers all of them. `receive` never throws on what it is given: it answers. */
export function handleMessages(
  receive: (name: MessageName, payload: unknown) => Promise<MessageAnswer>,
): void {
  for (const name of MESSAGE_NAMES) {
    const description = DESCRIPTIONS[name];
    setHandler(
      defineSignal<[unknown]>(name),
      async (payload: unknown) => {
        await receive(name, payload);
      },
      { description },
    );
    setHandler(
      defineUpdate<MessageAnswer, [unknown]>(name),
      async (payload: unknown) => receive(name, payload),
      {
        description,
        validator: (payload: unknown) => {
          const read = readMessage(name, payload);
          if ('fault' in read)
            throw ApplicationFailure.nonRetryable(read.fault, 'MalformedMessage');
        },
      },
    );
  }
}

/** The message in a payload, or what is wrong with it, field by field. No payload at all counts as {}. */
export function readMessage(
  name: MessageName,
  payload: unknown,
): { readonly message: NamedMessage } | { readonly fault: string } {
  if (payload instanceof Undecodable)
    return { fault: faultText(name, [`payload: ${payload.why}`]) };
  if (Object.prototype.toString.call(payload ?? {}) !== '[object Object]')
    return { fault: faultText(name, ['payload: not an object']) };
  const parsed = messageSchema.safeParse({ ...Object(payload), name });
  if (parsed.success) return { message: parsed.data };
  return {
    fault: faultText(
      name,
      parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'payload'}: ${message}`),
    ),
  };
}

/** Cut, since it repeats words of whoever sent it. */
const faultText = (name: MessageName, faults: readonly string[]): string =>
  `${name}: ${faults.join('; ').slice(0, 1000)}. Expected ${DESCRIPTIONS[name]}`;
