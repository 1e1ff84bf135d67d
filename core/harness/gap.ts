// A diagnostic gap: what happened that the harness cannot explain, tell apart, or act on.
import type { HealthReport } from '../schemas/harness.ts';
import { valuesByName } from './health.ts';

/** A change of the mean reward beyond this many of its interval's half-widths, about three standard errors, is a jump. */
const JUMP_HALF_WIDTHS = 1.5;
const PROXY_RISE = 0.03;
const TRUTH_RISE = 0.01;
/** Above this true score there is little left to explain. */
const SOLVED = 0.95;

/** One sentence, or null where the harness suffices. `previous` is the generation before; null in the first. */
export function findGap(now: HealthReport, previous: HealthReport | null): string | null {
  const fired = now.findings.filter(({ fired: isFired }) => isFired === true);
  const isCritical = fired.some(({ level }) => level === 'critical');
  const values = valuesByName(now);
  const truth = values['true_mean'] ?? null;
  if (fired.length === 0 && truth !== null && truth < SOLVED) {
    return `no rule explains a true score of ${truth.toFixed(3)}`;
  }
  if (previous === null) return null;
  const before = valuesByName(previous);
  const rise = (name: string): number | null => {
    const [new_, old] = [values[name] ?? null, before[name] ?? null];
    return new_ === null || old === null ? null : new_ - old;
  };
  const [proxy, true_] = [rise('visible_mean') ?? rise('reward_mean'), rise('true_mean')];
  const isDiverging = proxy !== null && true_ !== null && proxy > PROXY_RISE && true_ <= TRUTH_RISE;
  if (isDiverging && !isCritical) {
    return `the proxy rose by ${proxy.toFixed(3)} and the truth by ${true_.toFixed(3)}, and no critical rule fired`;
  }
  const jumped = jumpOf(now, previous);
  return jumped !== null && !isCritical ? jumped : null;
}

function jumpOf(now: HealthReport, previous: HealthReport): string | null {
  const [new_, old] = [now, previous].map(({ values }) =>
    values.find(({ name }) => name === 'reward_mean'),
  );
  if (new_?.value == null || old?.value == null) return null;
  const half = Math.hypot(halfWidth(new_), halfWidth(old));
  const jump = new_.value - old.value;
  if (half === 0 || Math.abs(jump) <= JUMP_HALF_WIDTHS * half) return null;
  return `the mean reward moved by ${jump.toFixed(3)}, far beyond its interval, and no critical rule fired`;
}

const halfWidth = ({ low, high }: { low: number | null; high: number | null }): number =>
  low === null || high === null ? 0 : (high - low) / 2;
