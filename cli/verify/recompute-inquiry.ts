// Recomputes an inquiry: the chain of its transcript, the brief, the manifest of every recorded reply, every answer to
// a tool call, the offers, and what it cost.
import { answerCalls, type LookContext } from '../../activities/inquiring/answer-calls.ts';
import { readBriefs } from '../../activities/inquiring/read-briefs.ts';
import { specialistsOf, type StaffedSpecialist } from '../../activities/inquiring/specialist-of.ts';
import { readTranscript } from '../../activities/inquiring/transcript.ts';
import { readJson } from '../../activities/shared/store-json.ts';
import type { Store } from '../../activities/ports/store.ts';
import { sha256Hex } from '../../activities/shared/digest.ts';
import { canonicalJson } from '../../core/canonical-json.ts';
import { storeKeys } from '../../core/ids.ts';
import { entriesOf, type EntryOf } from '../../core/ledger.ts';
import { type RecordedGeneration, recordedOf } from '../../core/ledger-fold.ts';
import { findMismatch, type Mismatch } from '../../core/mismatch.ts';
import { feedbackText } from '../../core/research/brief.ts';
import { addSpend, costOf, nothingSpent } from '../../core/research/purse.ts';
import { stepManifestSchema } from '../../core/schemas/artifact.ts';
import { harnessSchema } from '../../core/schemas/harness.ts';
import type { Closing, TranscriptLink } from '../../core/schemas/inquiry.ts';
import type { Intervention } from '../../core/schemas/intervention.ts';
import type { LedgerRecord } from '../../core/schemas/ledger-entry.ts';
import { recipeSchema } from '../../core/schemas/recipe.ts';
import { submittedSchema } from '../../core/schemas/offer.ts';
import { configIn } from '../../core/verify-epoch.ts';
import { broken, type Context } from './recompute-context.ts';

/** `records` are the entries before it. */
export async function recomputeInquiry(
  { number, generation, body }: EntryOf<'inquired'>,
  { before, configs, ports }: Context,
  records: readonly Pick<LedgerRecord, 'entry'>[],
): Promise<Mismatch[]> {
  const { open } = ports.stores;
  const config = configIn(configs, before);
  const specialist =
    config.researcher &&
    specialistsOf(config.researcher).find(({ name }) => name === body.specialist);
  const revision = recordedOf(before, generation).newest['harness-revised']?.body;
  const { incumbent } = before;
  if (!specialist || !revision || !incumbent) {
    return [broken(number, 'its specialist, harness or recipe is not there')];
  }
  const links = await readTranscript(open, body.transcript);
  const briefs = await readBriefs(open, { config, generation, incumbent, revision, records });
  const brief = briefs.find((one) => one.specialist === body.specialist)?.text ?? null;
  const context: LookContext = {
    generation,
    specialist,
    recipe: await readJson(open, incumbent.recipe, recipeSchema),
    harness: await readJson(open, revision.harness, harnessSchema),
    healthSha256: revision.health.sha256,
  };
  const began = links.findIndex((link) => digestOf(link) === body.began.sha256);
  const own = links.slice(began + 1);
  const [first] = links;
  const campaignSpent = addSpend(
    entriesOf(records, 'inquired').at(-1)?.body.campaignSpent ?? nothingSpent,
    body.spent,
  );
  return [
    ...findMismatch(number, 'links', rolesOf(links), ALTERNATING),
    ...feedbackOf(number, links, recordedOf(before, generation).answered),
    ...findMismatch(number, 'began', began >= 0 && isOpening(links[began]), true),
    ...findMismatch(number, 'campaignSpent', body.campaignSpent, campaignSpent),
    ...findMismatch(
      number,
      'brief',
      first?.message.role === 'user' ? first.message.text : null,
      brief,
    ),
    ...(await repliesOf(number, open, links)),
    ...answersOf(number, { links, began }, context, body),
    ...costsOf(number, own, specialist, body),
  ];
}

const ALTERNATING = 'brief, then replies and answers in turn';

/** A link that follows no reply could say anything, except feedback, which the ledger has. */
function rolesOf(links: readonly TranscriptLink[]): string {
  const roles = links.filter((link) => !isFeedback(link)).map(({ message }) => message.role);
  return roles.every((role, index) => (role === 'model') === (index % 2 === 1))
    ? ALTERNATING
    : roles.join(', ');
}

const isFeedback = ({ message }: TranscriptLink): boolean =>
  message.role === 'user' && message.feedback !== undefined;

/** An inquiry begins with its brief or with feedback. */
const isOpening = (link: TranscriptLink | undefined): boolean =>
  link !== undefined && (link.previous === null || isFeedback(link));

/** Feedback is what a person answered to a design. */
const feedbackOf = (
  number: number,
  links: readonly TranscriptLink[],
  answered: RecordedGeneration['answered'],
): Mismatch[] =>
  links.flatMap(({ message }, index) => {
    if (message.role !== 'user' || message.feedback === undefined) return [];
    const given = answered.find(({ body }) => body.digest === message.feedback)?.body;
    const text = given?.answer === 'amend' ? feedbackText(given.text ?? '') : null;
    return findMismatch(number, `link ${index}/feedback`, message.text, text);
  });

/** Each reply is the one that its step recorded. */
async function repliesOf(
  number: number,
  store: Store,
  links: readonly TranscriptLink[],
): Promise<Mismatch[]> {
  const found: Mismatch[] = [];
  for (const [index, link] of links.entries()) {
    if (link.message.role !== 'model') continue;
    const manifest = await store.readManifest(storeKeys.step(link.message.step));
    const recorded = stepManifestSchema.safeParse(manifest).data?.outputs['head']?.sha256 ?? null;
    found.push(...findMismatch(number, `link ${index}/step`, digestOf(link), recorded));
  }
  return found;
}

const digestOf = (link: TranscriptLink): string => sha256Hex(canonicalJson(link));

/** Each answer is the one that our tools give again, and so are the offers. */
function answersOf(
  number: number,
  { links, began }: { readonly links: readonly TranscriptLink[]; readonly began: number },
  context: LookContext,
  body: EntryOf<'inquired'>['body'],
): Mismatch[] {
  const found: Mismatch[] = [];
  let offers: readonly Intervention[] = [];
  let closed: Closing | null = null;
  for (const [index, link] of links.entries()) {
    if (link.message.role !== 'model') continue;
    const answered = answerCalls(links.slice(0, index + 1), context);
    const next = links[index + 1];
    // An inquiry that was aborted may end with a reply.
    if (next === undefined) continue;
    found.push(...findMismatch(number, `link ${index + 1}`, next.message, answered.answers));
    // What was offered before feedback is in an entry of its own.
    if (index > began) ({ offers, closed } = answered);
  }
  const computed = offers.length === 0 ? null : sha256Hex(canonicalJson(offers));
  const offered = offers.map(({ operator }) => operator);
  return [
    ...found,
    ...findMismatch(number, 'offers', body.offers?.sha256 ?? null, computed),
    ...findMismatch(number, 'offered', body.offered, offered),
    // Without an end of its own, a provider, the budget or a person ended it.
    ...(closed === null ? [] : findMismatch(number, 'closed', body.closed, closed)),
  ];
}

/** Tokens of the recorded replies; reserves of lost ones are in the entry alone. */
function costsOf(
  number: number,
  links: readonly TranscriptLink[],
  { price }: StaffedSpecialist,
  body: EntryOf<'inquired'>['body'],
): Mismatch[] {
  const usages = links.flatMap(({ message }) =>
    message.role === 'model' ? [message.reply.usage] : [],
  );
  const total = (pick: 'input' | 'cached' | 'output'): number =>
    usages.reduce((sum, usage) => sum + usage[pick], 0);
  const spent = usages.map((usage) => costOf(usage, price)).reduce(addSpend, nothingSpent);
  return [
    ...findMismatch(number, 'turns', body.turns, usages.length),
    ...findMismatch(number, 'usage', body.usage, {
      input: total('input'),
      cached: total('cached'),
      output: total('output'),
    }),
    ...findMismatch(number, 'spent', body.spent, addSpend(spent, body.lost)),
  ];
}

/** Every proposal of a model was submitted in an inquiry of its generation. */
export async function verifyAuthorship(
  { number, generation, body }: EntryOf<'proposed'>,
  store: Store,
  records: readonly Pick<LedgerRecord, 'entry'>[],
): Promise<Mismatch[]> {
  const ofModels = body.interventions.filter(({ proposer }) => proposer === 'llm');
  if (ofModels.length === 0) return [];
  const inquiries = entriesOf(records, 'inquired').filter((one) => one.generation === generation);
  const submitted = await Promise.all(
    inquiries.flatMap(({ body: { offers } }) =>
      offers === null ? [] : [readJson(store, offers, submittedSchema)],
    ),
  );
  const known = new Set(submitted.flat().map((one) => canonicalJson(one)));
  return ofModels
    .filter((one) => !known.has(canonicalJson(one)))
    .flatMap(({ id }) => findMismatch(number, `interventions/${id}`, 'proposed', 'not submitted'));
}
