// What a round of chaos leaves to be told.
import type { Findings } from './chaos-problems.ts';

/** A kill that hit something. */
export interface Kill {
  readonly campaign: number;
  readonly number: number;
  readonly victim: string;
  readonly how: string;
  readonly what: string;
  /** Marks of progress that the campaign had made. */
  readonly marks: number;
  readonly atMs: number;
  /** Draws before of which there was none to hit. */
  readonly missed: number;
  /** Until work was done that had not been done before; null where none was. */
  wentOnMs: number | null;
  /** Second and later claims between this kill and the next. */
  claims: number;
  checkpointsLost: number;
}

/** One disturbed campaign. */
export interface Played extends Findings {
  readonly campaign: number;
  readonly place: string;
  readonly isCold: boolean;
  readonly seconds: number;
  readonly kills: readonly Kill[];
  readonly orphans: readonly string[];
  /** Where the world's files are; null where nothing is wrong, and they were thrown away. */
  readonly keptIn: string | null;
}

export const isClean = ({ problems, orphans }: Played): boolean =>
  problems.length === 0 && orphans.length === 0;
