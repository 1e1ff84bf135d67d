// What a revision of the harness says in a report: the gaps, what was changed or refused, and how it meets the answer key.
import type { BodyOf } from '../core/schemas/ledger-entry.ts';
import type { KeyScore } from '../core/schemas/revision.ts';

export interface RevisionLine {
  readonly label: string;
  readonly text: string;
}

export const revisionLines = ({
  gaps,
  changes,
  scored,
  reverted,
}: BodyOf<'harness-revised'>): RevisionLine[] => [
  ...gaps.map(({ kind, why }) => ({ label: `diagnostic gap (${kind})`, text: why })),
  ...changes.map(({ axis, name, decision, why }) => ({
    label: `harness (${axis})`,
    text: `${name} ${decision === 'asked' ? 'is for a human to retire' : decision}: ${why}`,
  })),
  ...scored.map((score) => ({ label: 'answer key', text: sentenceOf(score) })),
  ...(reverted === null
    ? []
    : [
        {
          label: 'reverted',
          text: `${reverted.branch} of generation ${reverted.generation} gives way to ${reverted.to.branch ?? 'the warm start'}: ${reverted.why}`,
        },
      ]),
];

const sentenceOf = ({ detector, keys, onKey, elsewhere }: KeyScore): string =>
  `${detector} fires on ${shareOf(onKey)} trajectories on which ${keys.join(' or ')} fires, and on ${shareOf(elsewhere)} others`;

const shareOf = ({ hits, n }: KeyScore['onKey']): string =>
  `${n === 0 ? 'none' : `${((100 * hits) / n).toFixed(1)} %`} of ${n}`;
