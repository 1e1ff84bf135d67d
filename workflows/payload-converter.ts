// Anybody can send a signal without valid JSON, and a decoding error would fail the workflow's task again and again.
// An undecodable payload therefore arrives as a value, which every validator refuses.
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
      // The error's own message differs between versions of Node, and a replay must see the same text.
      const encoding = payload.metadata?.['encoding'];
      const named = encoding ? `as ${String.fromCharCode(...encoding.slice(0, 40))}` : 'at all';
      // This value does not have the declared type; every receiver validates what it decodes.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return new Undecodable(`cannot be decoded ${named}`) as Value;
    }
  },
};
