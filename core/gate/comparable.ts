// Guard 1: only results of one comparability epoch are compared, and never a policy with itself.
import { type GuardFinding, rejection } from './rows.ts';

/** Identifies a policy to the gate, by digests. */
export interface Identity {
  readonly epoch: string;
  readonly policySha256: string;
  readonly recipeSha256: string;
}

/** Null if `candidate` may be compared with the incumbent. */
export function checkComparable(candidate: Identity, incumbent: Identity): GuardFinding | null {
  if (candidate.epoch !== incumbent.epoch) {
    const epochs = `${candidate.epoch.slice(0, 12)} and ${incumbent.epoch.slice(0, 12)}`;
    return rejection('comparable', `the results come from different epochs, ${epochs}`);
  }
  return isSame(candidate, incumbent)
    ? rejection('no-evidence', "its policy and its recipe are the incumbent's")
    : null;
}

const isSame = (left: Identity, right: Identity): boolean =>
  left.policySha256 === right.policySha256 && left.recipeSha256 === right.recipeSha256;
