// Rules that bind the entries of a generation's branches together: who may be trained, and whom the campaign ends with.
import { CONTROL } from './ids.ts';
import { type CampaignFold, recordedOf, withFolds } from './ledger-fold.ts';
import { findMismatch, type Mismatch } from './mismatch.ts';
import type { BodyOf, LedgerRecord } from './schemas/ledger-entry.ts';

/** A branch trains what was proposed and survived its backtest, the control nothing; a campaign ends with its incumbent. */
export const verifyBranches = (records: readonly LedgerRecord[]): Mismatch[] =>
  withFolds(records).flatMap(({ record, before }) => {
    const { number, draft } = record.entry;
    switch (draft.kind) {
      case 'branch-trained':
        return verifyTrained(number, draft.generation, draft.body, before);
      case 'campaign-ended':
        return findMismatch(number, 'incumbent', draft.body.incumbent, before.incumbent);
      default:
        return [];
    }
  });

function verifyTrained(
  entry: number,
  generation: number,
  { branch, intervention, outcome, candidate }: BodyOf<'branch-trained'>,
  before: CampaignFold,
): Mismatch[] {
  const { proposed, backtested } = recordedOf(before, generation).newest;
  const place = Number(branch.slice(1)) - 1;
  const survivor = branch === CONTROL ? null : (backtested?.body.survivors[place] ?? null);
  const known = proposed?.body.interventions.find(({ id }) => id === survivor) ?? null;
  return [
    ...findMismatch(entry, `${branch}/intervention`, intervention, known),
    ...findMismatch(entry, `${branch}/outcome`, outcome === 'ok', candidate !== null),
  ];
}
