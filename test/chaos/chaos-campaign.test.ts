import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { campaignIn, runWords } from './chaos-campaign.ts';

const folder = mkdtempSync(join(tmpdir(), 'evo-chaos-campaign-'));
const file = (name: string, content: object): string => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const SCRIPT = { replies: [{ text: 'hello' }] };
const asking = (address: string) => ({
  providers: { one: { type: 'openai-compatible', base_url: `${address}/v1` } },
  researcher: { model: 'one/model', specialists: ['reward'] },
});

it('lets models of this machine answer from the script beside the file, wherever the server listens', () => {
  const added = file('asking.yaml', asking('http://127.0.0.1:8089'));
  expect(() => campaignIn(['configs/tiny.yaml', added])).toThrow(/one .*NAME-script.yaml/);
  file('asking-script.yaml', SCRIPT);
  const campaign = campaignIn(['configs/tiny.yaml', added]);
  expect(campaign.rules).toHaveLength(1);
  const urls = { open: 'file:///open', sealed: 'file:///sealed' };
  const words = runWords(campaign, { models: 'http://127.0.0.1:7', urls }).join(' ');
  expect(words).toMatch(/^run configs\/tiny.yaml .*asking.yaml --json --set name=e2e /);
  expect(words).toContain('--set providers.one.base_url=http://127.0.0.1:7/v1');
  expect(words).toContain('--set store=file:///open --set sealed_store=file:///sealed');
});

it('needs no script for models elsewhere, or for a campaign that asks none', () => {
  const elsewhere = file('elsewhere.yaml', asking('https://models.example'));
  expect(campaignIn(['configs/tiny.yaml', elsewhere]).rules).toBeNull();
  expect(campaignIn(['configs/tiny.yaml']).rules).toBeNull();
});
