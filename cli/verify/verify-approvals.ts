// Checks that what an unconfined agent offered was approved by somebody who had the code of the campaign.
import { isSignedBy } from '../../activities/shared/approval-code.ts';
import { readJson } from '../../activities/shared/store-json.ts';
import type { Store } from '../../activities/ports/store.ts';
import { signedText } from '../../core/approvals.ts';
import { entriesOf, type EntryOf } from '../../core/ledger.ts';
import { findMismatch, type Mismatch } from '../../core/mismatch.ts';
import { type ApprovalSubject, approvalSubjectSchema } from '../../core/schemas/approval.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';

/** Of one answer, with the question that it is about. */
export async function verifyApproval(
  { number, body }: EntryOf<'approval-answered'>,
  campaign: string,
  store: Store,
  before: readonly Pick<LedgerRecord, 'entry'>[],
): Promise<Mismatch[]> {
  const { approvalId, digest, answer, only, code } = body;
  if (answer !== 'approve') return [];
  // The newest: a campaign that was started again has another code.
  const asked = entriesOf(before, 'approval-asked').findLast(
    (one) => one.body.subject.sha256 === digest,
  );
  if (asked === undefined) return findMismatch(number, 'digest', digest, null);
  const subject = await readJson(store, asked.body.subject, approvalSubjectSchema);
  if (!needsCode(subject, only)) return [];
  const text = signedText({ campaign, approvalId, digest, only });
  const { key } = asked.body;
  const isSigned = code !== undefined && code.key === key && isSignedBy(key, code.signature, text);
  return findMismatch(number, 'code', isSigned, true);
}

const needsCode = (subject: ApprovalSubject, only: readonly string[] | null): boolean =>
  subject.point === 'completion'
    ? subject.unconfined === true
    : subject.interventions.some(
        ({ id, unconfined }) => unconfined === true && (only?.includes(id) ?? true),
      );
