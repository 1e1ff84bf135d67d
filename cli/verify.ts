import { createHash } from 'node:crypto';
import { messageOf } from '../core/message-of.ts';
import { storeKeys } from '../core/ids.ts';
import { type ChainProblem, entriesOf, verifyChain } from '../core/ledger.ts';
import { type CampaignConfig, campaignConfigSchema } from '../core/schemas/campaign-config.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';
import { type Mismatch, verifyRules } from '../core/verify.ts';
import { type CampaignArchive, archiveArgs, openArchive, readLedgerOf } from './archive.ts';
import { evoCommand } from './define-command.ts';
import { EXIT } from './exit.ts';
import { digestOf } from './start-campaign.ts';
import { NO_COLORS, type Style, styleFor } from './terminal/style.ts';
import { checkObjects, type ObjectCheck } from './verify/check-objects.ts';
import { recomputeVerdicts } from './verify/recompute.ts';
import { printJson, say } from './terminal/printable.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface Verification {
  readonly campaign: string;
  readonly entries: number;
  readonly head: string | null;
  readonly chain: readonly ChainProblem[];
  readonly objects: ObjectCheck;
  readonly rules: readonly Mismatch[];
  readonly verdicts: number;
  readonly mismatches: readonly Mismatch[];
  /** Checks that were not possible, with the reason. */
  readonly unchecked: readonly string[];
  readonly ok: boolean;
}

export const command = evoCommand({
  name: 'verify',
  description:
    'Recompute a campaign from its archive: hash chain, every digest, every verdict of the gate.',
  args: { ...archiveArgs, json: { type: 'boolean', description: 'print one JSON object' } },
  async run(args) {
    const archive = await openArchive(args);
    try {
      const verification = await verifyArchive(archive);
      if (args.json) printJson(verification);
      else say(verificationLines(verification, styleFor(process.stdout)).join('\n'));
      return verification.ok ? EXIT.ok : EXIT.failed;
    } finally {
      await archive.close();
    }
  },
});

export async function verifyArchive(archive: CampaignArchive): Promise<Verification> {
  const records = await readLedgerOf(archive);
  const chain = verifyChain(records, sha256);
  const objects = await checkObjects(records, archive.stores);
  const config = await readConfig(archive, records);
  const unchecked: string[] = [];
  let rules: Mismatch[] = [];
  let recomputed: Awaited<ReturnType<typeof recomputeVerdicts>> = { verdicts: 0, mismatches: [] };
  if (config === null)
    unchecked.push('rules and verdicts: the archive does not contain the config');
  else {
    rules = verifyRules(records, config.gate.alpha);
    try {
      recomputed = await recomputeVerdicts(records, config, archive);
    } catch (error) {
      unchecked.push(`verdicts: ${messageOf(error)}`);
    }
  }
  const problems = [chain, objects.problems, rules, recomputed.mismatches, unchecked];
  return {
    campaign: archive.campaign,
    entries: records.length,
    head: records.at(-1)?.hash ?? null,
    chain,
    objects,
    rules,
    ...recomputed,
    unchecked,
    ok: problems.every((list) => list.length === 0),
  };
}

/** The config of the campaign; null if it is missing or does not have the recorded digest. */
async function readConfig(
  { campaign, stores }: CampaignArchive,
  records: readonly LedgerRecord[],
): Promise<CampaignConfig | null> {
  const [calibrated] = entriesOf(records, 'calibrated');
  if (calibrated === undefined) return null;
  const { configDigest } = calibrated.body;
  const stored = await stores.open.readManifest(storeKeys.campaignConfig(campaign, configDigest));
  const parsed = campaignConfigSchema.safeParse(stored);
  return parsed.success && digestOf(parsed.data) === configDigest ? parsed.data : null;
}

export function verificationLines(found: Verification, style: Style = NO_COLORS): string[] {
  const { green, red, yellow, bold } = style;
  const line = (isGood: boolean, what: string): string =>
    `${isGood ? green('ok') : red('NO')}  ${what}`;
  const { objects, chain, rules, mismatches } = found;
  const megabytes = (objects.bytes / 1e6).toFixed(1);
  const described = (one: Mismatch): string =>
    `      entry ${one.entry}, ${one.field}: stored ${one.stored}, computed ${one.computed}`;
  return [
    line(
      chain.length === 0,
      `chain of ${found.entries} ledger entries, head ${found.head ?? 'none'}`,
    ),
    ...chain.map(({ number, problem }) => `      entry ${number}: ${problem}`),
    line(
      objects.problems.length === 0,
      `${objects.objects} objects compared with their digests, ${megabytes} MB`,
    ),
    ...objects.problems.map(({ entry, problem }) => `      entry ${entry}: ${problem}`),
    line(
      rules.length === 0,
      'tests reserved in order, promotions only by verdict, incumbents only by promotion',
    ),
    ...rules.map(described),
    line(mismatches.length === 0, `${found.verdicts} verdicts recomputed from per-problem results`),
    ...mismatches.map(described),
    ...found.unchecked.map((what) => `${yellow('??')}  not checked: ${what}`),
    '',
    found.ok
      ? `${green(bold('verified'))}  ${found.campaign}`
      : `${red(bold('not verified'))}  ${found.campaign}`,
  ];
}
