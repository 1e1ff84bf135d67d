// Anybody can send a signal without valid JSON, and a decoding error would fail the workflow's task again and again.
// An undecodable payload therefore arrives as a value, which every validator refuses.
import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';

export class Undecodable {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

/** Deeper values could exhaust the stack of what walks them; no value of ours is half as deep. */
const DEPTH_MAX = 64;

function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_MAX) return true;
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null && !ArrayBuffer.isView(one) ? Object.values(one) : [],
    );
  }
  return false;
}

/** Loaded by its path, into the workflow sandbox and into the worker. */
export const payloadConverter: PayloadConverter = {
  toPayload: (value) => defaultPayloadConverter.toPayload(value),
  fromPayload: <Value>(payload: Payload) => {
    try {
      const value = defaultPayloadConverter.fromPayload<Value>(payload);
      if (!isTooDeep(value)) return value;
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return new Undecodable(`is nested more than ${DEPTH_MAX} levels deep`) as Value;
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
