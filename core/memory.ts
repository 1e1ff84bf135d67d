// What decided generations leave to later ones. It is stored as one object, so that histories carry its digest alone.
import type { ScoredForecast } from './schemas/forecast.ts';
import type { PastGeneration, Skill } from './schemas/ledger-entry.ts';
import { mergeSkills } from './skills.ts';

export interface Memory {
  /** Oldest first. */
  readonly past: readonly PastGeneration[];
  readonly skills: readonly Skill[];
  /** What backtests foresaw of every branch so far, oldest first, and what SELECT then saw. */
  readonly forecasts: readonly ScoredForecast[];
}

export const emptyMemory: Memory = { past: [], skills: [], forecasts: [] };

/** After another decided generation, with the skills that it made or changed and its forecasts. */
export const remember = (
  memory: Memory,
  past: PastGeneration,
  skillsChanged: readonly Skill[],
  forecasts: readonly ScoredForecast[],
): Memory => ({
  past: lookedBackTo([...memory.past, past]),
  skills: mergeSkills(memory.skills, skillsChanged),
  forecasts: [...memory.forecasts, ...forecasts],
});

/** What rules look back to: the first generation and the last two. */
export const lookedBackTo = (past: readonly PastGeneration[]): readonly PastGeneration[] =>
  past.filter((_, index) => index === 0 || index >= past.length - 2);
