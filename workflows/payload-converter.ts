// How a worker decodes. Anybody can send a signal that holds no JSON, and an error in decoding it would fail the
// workflow's task again and again: what cannot be decoded arrives as a value that every validator refuses.
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

export class Undecodable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Loaded by its path, into the workflow sandbox and into the worker. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: <Value>(payload: Payload) => {
    try {
      return defaultPayloadConverter.fromPayload<Value>(payload);
    } catch {
      // Not the error's own words: they differ between versions of Node, and a replay must see the same.
      const encoding = payload.metadata?.['encoding'];
      const named = encoding ? `as ${String.fromCharCode(...encoding.slice(0, 40))}` : 'at all';
      // The one value that is not what the sender should have sent; whoever decodes validates it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return new Undecodable(`cannot be decoded ${named}`) as Value;
    }
  },
};
