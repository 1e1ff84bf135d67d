// The table of scripts/bench/invalid-branches.ts: what each loop would have done, and whether the cause was named.
import type { ScreenedBranch } from '../../../core/gate/verdict.ts';

export interface CaseResult {
  readonly seed: number;
  readonly name: string;
  readonly expected: string;
  readonly isAttractive: boolean;
  /** Mean training reward of the first and the last ten optimizer steps; null where nothing was trained. */
  readonly reward: { readonly first: number; readonly last: number } | null;
  readonly bottleneck: string | null;
  readonly rivals: readonly string[];
  readonly screened: ScreenedBranch | null;
  readonly isChallenger: boolean;
  /** Operators that would be tried next, in order; null where a branch is judged. */
  readonly next: readonly { readonly name: string; readonly kind: string }[] | null;
}

/** A training score that rose by less than this rose by chance. */
const RISE_MIN = 0.02;

/** Whether a loop that reads the branch's own training score would take it. */
export const isTakenByScore = ({ reward }: CaseResult): boolean =>
  reward !== null && reward.last > reward.first + RISE_MIN;

/** A guard speaks against it, or it is worse than the control, and it meets no test. */
export const isRefused = ({ screened, isChallenger }: CaseResult): boolean =>
  screened !== null &&
  !isChallenger &&
  (screened.verdict === 'reject' || screened.outcome === 'regression');

/** What was promised of the case: taken by a score where it is attractive, refused, and for its own cause. */
export function holds(result: CaseResult): boolean {
  if (result.bottleneck !== result.expected) return false;
  if (result.next !== null) {
    const [first] = result.next;
    return first !== undefined && first.kind === 'rollout';
  }
  return isRefused(result) && (!result.isAttractive || isTakenByScore(result));
}

export function invalidReport(results: readonly CaseResult[], command: string): string {
  const rows = results.map((result) => {
    const { seed, name, reward, bottleneck, rivals, screened, next } = result;
    const effect = screened?.effect;
    return [
      String(seed),
      name,
      reward === null ? '' : `${reward.first.toFixed(3)} → ${reward.last.toFixed(3)}`,
      reward === null ? '' : isTakenByScore(result) ? 'takes it' : 'leaves it',
      screened === null
        ? `next: ${(next ?? [])
            .slice(0, 3)
            .map((one) => one.name)
            .join(', ')}`
        : `${screened.verdict}${screened.guard === null ? '' : ` [${screened.guard}]`}`,
      effect == null
        ? ''
        : `${effect.mean.toFixed(3)} [${effect.low.toFixed(3)}, ${effect.high.toFixed(3)}]`,
      bottleneck ?? 'none',
      rivals.slice(0, 3).join(', '),
      holds(result) ? 'yes' : 'no',
    ];
  });
  const heads = [
    'seed',
    'branch',
    'own training reward',
    'a loop that reads it',
    'screen',
    'true score on SELECT, difference from b0',
    'named cause',
    'rivals',
    'as promised',
  ];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const held = results.filter(holds).length;
  return `${[
    '# Branches that have to be refused',
    '',
    `Made by \`${command}\`. ${held} of ${results.length} as promised: where the case is one that raises its own`,
    'training reward, that reward rose by more than 2 points; a guard refuses the branch, or it is worse than the',
    'control; and the bottleneck of its own health report is the cause. Rewards are means of the first and last ten',
    'optimizer steps. The format gate is no branch: the incumbent is diagnosed under a limit that cuts it off, and what',
    'has to come first among the operators is one that raises it.',
    '',
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map(line),
  ].join('\n')}\n`;
}
