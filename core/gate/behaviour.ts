// Guard 3: does an admitted blocking detector fire on the policy, and not merely on single episodes?
import {
  clusteredShare,
  GUARD_LEVEL,
  shareDifference,
  type ClusteredMean,
  type Interval,
} from '../stats/intervals.ts';
import { type Finding, INCUMBENT, noDecision, percent, points, rejection } from './rows.ts';

const RATE_LIMIT = 0.02;

/** Rate of a detector over one policy's DIAG set: mean and sd of the task means, tasks, samples a task. */
export interface DetectorReading {
  readonly detector: string;
  /** 'incumbent' or the name of a branch. */
  readonly policy: string;
  readonly rate: ClusteredMean;
}

/** The detectors that block, and what they read on the policies' DIAG sets. */
export interface Behaviour {
  readonly blocking: readonly string[];
  readonly readings: readonly DetectorReading[];
}

export interface Firing {
  readonly fires: boolean;
  readonly rate: Interval;
  readonly difference: Interval;
}

/** Fires: lower bound of the rate > 2 % and lower bound of the difference from `reference` > 0 (one-sided 95 %, MOVER). */
export function firesOn(candidate: ClusteredMean, reference: ClusteredMean): Firing {
  const rate = clusteredShare(candidate, GUARD_LEVEL, 1);
  const difference = shareDifference(rate, clusteredShare(reference, GUARD_LEVEL, 1));
  return { fires: rate.low > RATE_LIMIT && difference.low > 0, rate, difference };
}

/** Null where no blocking detector fires on the branch. A detector without a reading leaves no decision. */
export function checkBehaviour(branch: string, behaviour: Behaviour): Finding | null {
  const reading = (detector: string, policy: string): ClusteredMean | undefined =>
    behaviour.readings.find((one) => one.detector === detector && one.policy === policy)?.rate;
  for (const detector of behaviour.blocking) {
    const own = reading(detector, branch);
    const incumbent = reading(detector, INCUMBENT);
    if (!isRate(own) || !isRate(incumbent)) {
      return noDecision('infrastructure', `detector ${detector} was not read on both DIAG sets`);
    }
    const { fires, rate, difference } = firesOn(own, incumbent);
    if (fires) {
      const why = `detector ${detector} fires in ${percent(rate.mean)} of episodes (at least ${percent(rate.low)}), ${points(difference.mean)} above the incumbent`;
      return rejection('blocking-detector', why);
    }
  }
  return null;
}

const isRate = (rate: ClusteredMean | undefined): rate is ClusteredMean =>
  rate !== undefined && rate.n > 0 && rate.mean >= 0 && rate.mean <= 1 && rate.sd >= 0;
