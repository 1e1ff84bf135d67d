// A running job as one line: branch, progress, reward, time left.
import { score } from '../../core/number-text.ts';
import { duration, thousands } from '../terminal/format.ts';
import type { Style } from '../terminal/style.ts';
import { bar } from '../terminal/table.ts';
import type { RunningJob } from '../../core/snapshot.ts';

const barWidth = 24;

export function jobLine(job: RunningJob, style: Style): string {
  const name = `${jobLabel(job).padEnd(9)} ${job.kind.padEnd(9)}`;
  if (job.state === 'queued') {
    const ahead = job.ahead ? `, ${job.ahead} ahead` : '';
    const note = job.note === null ? '' : `: ${job.note}`;
    return `${name}${style.dim(`waits for a slot${ahead}${note}`)}`;
  }
  if (job.done === null || job.total === null) return `${name}${style.dim(starting(job))}`;
  const share = job.total > 0 ? job.done / job.total : 0;
  const counted = `${String(job.done).padStart(String(job.total).length)}/${job.total}`;
  return [
    name + style.cyan(bar(share, barWidth)),
    (job.stage ?? '').padEnd(7),
    counted.padStart(9),
    job.reward === null ? ''.padEnd(12) : `reward ${score(job.reward)}`,
    job.tokensPerS === null ? ''.padEnd(12) : `${thousands(job.tokensPerS)} tok/s`.padStart(12),
    job.secondsLeft === null ? '' : style.dim(`${duration(job.secondsLeft)} left`),
  ]
    .join('  ')
    .trimEnd();
}

const starting = ({ state, claim }: RunningJob): string => {
  const what = state === 'running' ? 'starting' : state;
  return claim !== null && claim > 1 ? `${what}, claim ${claim}` : what;
};

/** `g0001/a1/b2` → `g0001 b2`. */
export const jobLabel = ({ where }: Pick<RunningJob, 'where'>): string =>
  where === '' ? 'calibrate' : where.replace(/\/a\d+/, '').replace('/', ' ');
