// Guard 1: only results of one comparability epoch meet, and nobody is promoted over itself.
import { type Finding, rejection } from './rows.ts';

/** What identifies a policy to the gate, by digests. */
export interface Identity {
  readonly epoch: string;
  readonly policySha256: string;
  readonly recipeSha256: string;
}

/** Null where `candidate` may be compared with the incumbent. */
export function checkComparable(candidate: Identity, incumbent: Identity): Finding | null {
  if (candidate.epoch !== incumbent.epoch) {
    const epochs = `${candidate.epoch.slice(0, 12)} and ${incumbent.epoch.slice(0, 12)}`;
    return rejection('comparable', `the results come from different epochs, ${epochs}`);
  }
  return isSame(candidate, incumbent)
    ? rejection('no-evidence', 'its policy and its recipe are the incumbent itself')
    : null;
}

const isSame = (left: Identity, right: Identity): boolean =>
  left.policySha256 === right.policySha256 && left.recipeSha256 === right.recipeSha256;
