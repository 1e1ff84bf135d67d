// Guard 3: does a blocking detector fire on the policy, and not only on single episodes?
import {
  clusteredShare,
  GUARD_LEVEL,
  shareDifference,
  type ClusteredMean,
  type Interval,
} from '../stats/intervals.ts';
import { percent, points } from '../stats/percent.ts';
import { type GuardFinding, INCUMBENT, noDecision, rejection } from './rows.ts';

const RATE_LIMIT = 0.02;

/** Rate of a detector over one policy's DIAG set: mean and sd of the task means, tasks, samples per task. */
export interface DetectorReading {
  readonly detector: string;
  /** 'incumbent' or the name of a branch. */
  readonly policy: string;
  readonly rate: ClusteredMean;
}

/** The detectors that block, and their rates on the policies' DIAG sets. */
export interface BlockingDetectors {
  readonly names: readonly string[];
  readonly readings: readonly DetectorReading[];
}

export interface Firing {
  readonly fires: boolean;
  readonly rate: Interval;
  readonly difference: Interval;
}

/**
 * A detector fires if the lower bound of its rate is > 2 % and that of the difference from `reference` is > 0
 * (one-sided 95 %, MOVER).
 */
export function firesOn(candidate: ClusteredMean, reference: ClusteredMean): Firing {
  const rate = clusteredShare(candidate, GUARD_LEVEL, 1);
  const difference = shareDifference(rate, clusteredShare(reference, GUARD_LEVEL, 1));
  return { fires: rate.low > RATE_LIMIT && difference.low > 0, rate, difference };
}

/** Null if no blocking detector fires on the branch. A detector without a reading gives no decision. */
export function checkBlockingDetectors(
  branch: string,
  detectors: BlockingDetectors,
): GuardFinding | null {
  const reading = (detector: string, policy: string): ClusteredMean | undefined =>
    detectors.readings.find((one) => one.detector === detector && one.policy === policy)?.rate;
  for (const detector of detectors.names) {
    const own = reading(detector, branch);
    const incumbent = reading(detector, INCUMBENT);
    if (!isRate(own) || !isRate(incumbent)) {
      return noDecision(
        'infrastructure',
        `detector ${detector} was not measured on both DIAG sets`,
      );
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
