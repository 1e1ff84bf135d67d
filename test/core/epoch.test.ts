import { expect, test } from 'vitest';
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
  const digest = (given: CampaignConfig) => epochDigest(given, sha256('t'), sha256('w'), sha256);
  expect(changedBy(digest)).toEqual([
    'seed',
    'budget',
    'evaluation',
    'gate',
    'environment',
    'domain',
  ]);
  expect(epochDigest(config, sha256('other'), sha256('w'), sha256)).not.toBe(digest(config));
  expect(epochDigest(config, sha256('t'), sha256('other'), sha256)).not.toBe(digest(config));
});

test('a family is that of a domain, an environment and what makes the warm start', () => {
  expect(changedBy((given) => familyDigest(given, sha256))).toEqual([
    'environment',
    'domain',
    'policy',
    'warmup',
  ]);
});
