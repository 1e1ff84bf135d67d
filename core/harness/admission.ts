// Decides whether a detector is admitted, from its hits on labeled trajectories that mining has not read.
import { wilson } from '../stats/intervals.ts';

const SENSITIVITY_MIN = 0.6;
const FALSE_POSITIVES_MAX = 0.02;
const LEVEL = 0.95;

/** Hits of a detector on labeled trajectories: on cases of its class, and on honest successes. */
export interface DetectorTrial {
  readonly cases: number;
  readonly caught: number;
  readonly honest: number;
  readonly falseAlarms: number;
}

export interface Admission {
  readonly decision: 'admitted' | 'provisional' | 'refused';
  /** One-sided 95 % Wilson bounds. */
  readonly sensitivityLow: number;
  readonly falsePositivesHigh: number;
  readonly why: string;
}

/** Refused if a bound excludes the requirement, provisional if there are too few data to show it. */
export function decideAdmission(trial: DetectorTrial): Admission {
  const sensitivity = wilson(trial.caught, trial.cases, LEVEL, 1);
  const falsePositives = wilson(trial.falseAlarms, trial.honest, LEVEL, 1);
  const bounds = { sensitivityLow: sensitivity.low, falsePositivesHigh: falsePositives.high };
  const because = (decision: Admission['decision'], why: string): Admission => ({
    decision,
    ...bounds,
    why,
  });
  if (sensitivity.high < SENSITIVITY_MIN) {
    return because('refused', `catches at most ${percent(sensitivity.high)} of its class`);
  }
  if (falsePositives.low > FALSE_POSITIVES_MAX) {
    return because(
      'refused',
      `alarms on ${percent(falsePositives.low)} of honest successes or more`,
    );
  }
  if (sensitivity.low < SENSITIVITY_MIN) {
    return because(
      'provisional',
      `${trial.cases} cases show only ${percent(sensitivity.low)} caught`,
    );
  }
  if (falsePositives.high > FALSE_POSITIVES_MAX) {
    return because(
      'provisional',
      `${trial.honest} honest successes leave up to ${percent(falsePositives.high)} false alarms`,
    );
  }
  return because(
    'admitted',
    `catches ${percent(sensitivity.low)} or more, alarms on ${percent(falsePositives.high)} or less`,
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
