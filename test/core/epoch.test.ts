import { expect, test } from 'vitest';
import { presumedRules } from '../../core/gate/domain-rules.ts';
import { epochDigest, familyDigest } from '../../core/epoch.ts';
import { campaignConfigSchema, type CampaignConfig } from '../../core/schemas/campaign-config.ts';
import { config } from './campaign-fixtures.ts';
import { sha256 } from './ledger-fixtures.ts';

const { evaluation, gate, budget, warmup, policy } = config;
const changes: Readonly<Record<string, Partial<CampaignConfig>>> = {
  name: { name: 'other' },
  seed: { seed: 9 },
  generations: { generations: 9 },
  budget: { budget: { ...budget, optimizer_steps: 99 } },
  evaluation: { evaluation: { ...evaluation, promotion_tasks: 801 } },
  gate: { gate: { ...gate, alpha: 0.06 } },
  environment: { environment: { tests: 3 } },
  domain: { domain: 'code.listprog' },
  policy: { policy: { ...policy, hidden_size: 64 } },
  warmup: { warmup: { ...warmup, learning_rate: 0.1 } },
  'checkpoints of the warm-up': { warmup: { ...warmup, checkpoint_every: 7 } },
};
const changedBy = (digest: (given: CampaignConfig) => string): string[] =>
  Object.keys(changes).filter(
    (what) =>
      digest(campaignConfigSchema.parse({ ...config, ...changes[what] })) !== digest(config),
  );

test('an epoch is that of an evaluator, a seed, a budget and a warm start', () => {
  const rules = presumedRules('math.chain');
  const frozen = { trainerDigest: sha256('t'), rules, warmStart: sha256('w') };
  const digest = (given: CampaignConfig, changed: Partial<typeof frozen> = {}) =>
    epochDigest(given, { ...frozen, ...changed }, sha256);
  expect(changedBy((given) => digest(given))).toEqual([
    'seed',
    'budget',
    'evaluation',
    'gate',
    'environment',
    'domain',
  ]);
  for (const changed of [
    { trainerDigest: sha256('other') },
    { warmStart: sha256('other') },
    { rules: { ...rules, nullScoreMax: 0.2 } },
  ])
    expect(digest(config, changed)).not.toBe(digest(config));
});

test('a family is that of a domain, an environment and what makes the warm start', () => {
  expect(changedBy((given) => familyDigest(given, sha256))).toEqual([
    'environment',
    'domain',
    'policy',
    'warmup',
  ]);
});
