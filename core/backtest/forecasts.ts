// What backtests foresaw against what SELECT and the gate then saw, branch by branch.
import type { DraftOf } from '../drafts.ts';
import type { ScoredForecast } from '../schemas/forecast.ts';
import type { LedgerDraft } from '../schemas/ledger-entry.ts';
import type { Interval } from '../stats/intervals.ts';
import { standardError } from '../stats/shrinkage.ts';

type Forecast = DraftOf<'backtested'>['body']['forecasts'][number];

/** What an archive of the old policy cannot know of one that a new reward shapes, before any residual is in, in score. */
const MODEL_SD = 0.1;
/** How many residuals that guess counts for. */
const MODEL_SD_WEIGHT = 4;
const MODEL_SD_MIN = 0.02;

/** A branch that trained on an intervention, with its paired difference from b0 on SELECT. */
export interface Observed {
  readonly branch: string;
  readonly intervention: string;
  readonly effect: Interval | null;
}

/** Forecasts of the branches that trained, in branch order; `z` is the residual by the standard errors of both. */
export function scoreForecasts(
  generation: number,
  forecasts: readonly Forecast[],
  observed: readonly Observed[],
): ScoredForecast[] {
  return observed.flatMap(({ branch, intervention, effect }) => {
    const forecast = forecasts.find(({ id }) => id === intervention);
    if (forecast === undefined) return [];
    const { operator, kinds, foreseen, archive } = forecast;
    const total = effect === null ? 0 : Math.hypot(foreseen.se, standardError(effect));
    const z = effect === null || total === 0 ? null : (effect.mean - foreseen.mean) / total;
    return [{ generation, branch, operator, kinds, foreseen, archive, observed: effect, z }];
  });
}

/**
 * How far an archive may be believed, from how far it was off: the residuals of its own gain beyond what their standard
 * errors explain, pooled with the first guess.
 */
export function modelSdOf(forecasts: readonly ScoredForecast[]): number {
  const excesses = forecasts.flatMap(({ archive, observed }) =>
    archive === null || observed === null
      ? []
      : [(observed.mean - archive.mean) ** 2 - archive.se ** 2 - standardError(observed) ** 2],
  );
  const sum = excesses.reduce((total, excess) => total + excess, MODEL_SD_WEIGHT * MODEL_SD ** 2);
  const variance = sum / (MODEL_SD_WEIGHT + excesses.length);
  return Math.sqrt(Math.max(MODEL_SD_MIN ** 2, variance));
}

/** A scored forecast as the ledger tells it, with the gate's own difference from the incumbent where it was tested. */
export interface TrackedForecast {
  readonly forecast: ScoredForecast;
  readonly onGate: Interval | null;
}

/** Folded from the entries alone, not from what they say of forecasts already; of several attempts the last counts. */
export function trackForecasts(drafts: readonly LedgerDraft[]): TrackedForecast[] {
  let forecasts: readonly Forecast[] = [];
  // An entry equal to one of an earlier attempt is not written again, so what that one told still holds.
  const trained = new Map<string, string>();
  let gate: DraftOf<'gate-verdict'>['body'] | null = null;
  const tracked: TrackedForecast[] = [];
  for (const draft of drafts) {
    if (draft.kind === 'backtested') forecasts = draft.body.forecasts;
    if (draft.kind === 'branch-trained' && draft.body.intervention !== null) {
      trained.set(draft.body.branch, draft.body.intervention.id);
    }
    if (draft.kind === 'gate-verdict') gate = draft.body;
    if (draft.kind !== 'branches-decided') continue;
    const observed = draft.body.branches.flatMap(({ branch, effect }) => {
      const intervention = trained.get(branch);
      return intervention === undefined ? [] : [{ branch, intervention, effect }];
    });
    const tested = gate;
    tracked.push(
      ...scoreForecasts(draft.generation, forecasts, observed).map((forecast) => ({
        forecast,
        onGate: tested?.branch === forecast.branch ? tested.difference : null,
      })),
    );
    [forecasts, gate] = [[], null];
    trained.clear();
  }
  return tracked;
}
