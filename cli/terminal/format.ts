// Numbers as text.
import { NONE } from '../../core/number-text.ts';

export function duration(seconds: number | null | undefined): string {
  if (seconds == null || !Number.isFinite(seconds)) return NONE;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}

export function thousands(value: number): string {
  if (value < 1000) return value.toFixed(0);
  return value < 1e6 ? `${(value / 1000).toFixed(1)}k` : `${(value / 1e6).toFixed(1)}M`;
}

export const generationName = (generation: number): string =>
  `g${String(generation).padStart(4, '0')}`;
