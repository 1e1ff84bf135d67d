// A server of a campaign that runs moves: the next request goes to its new address, and its key does not follow unasked.
import { expect, test } from 'vitest';
import { digestOf } from '../../activities/shared/config-digest.ts';
import { readAddresses } from '../../activities/shared/moved-providers.ts';
import { moveProviders } from '../../cli/move-providers.ts';
import { storeKeys } from '../../core/ids.ts';
import { campaignConfigSchema } from '../../core/schemas/campaign-config.ts';
import { MemoryStore } from '../../infra/store/memory/memory-store.ts';
import { parseRules } from '../../scripts/models/script.ts';
import { startScriptedServer } from '../../scripts/models/scripted-server.ts';
import { composeMovable } from '../../workers/compose-model.ts';
import { REQUEST } from '../contracts/model.contract.ts';
import { config } from '../core/campaign-fixtures.ts';

const at = (url: string, more: object = {}) =>
  campaignConfigSchema.parse({
    ...config,
    providers: {
      it: { type: 'openai-compatible', base_url: `${url}/v1`, ...more },
      mine: { type: 'exec', command: ['/bin/true'] },
    },
  });

test('an address that changed is recorded once, and one that did not is not', async () => {
  const open = new MemoryStore('open');
  const started = at('http://first');
  await open.createManifest(storeKeys.campaignConfig(started.name, digestOf(started)), started);
  const moves = async (url: string) => moveProviders(open, at(url));
  expect(await moves('http://first')).toBe(false);
  expect(await moves('http://second')).toBe(true);
  expect(await moves('http://second')).toBe(false);
  expect(await readAddresses(open, started.name)).toEqual({ it: 'http://second/v1' });
  expect(await moves('http://first')).toBe(true);
});

test('a running worker asks at the newest address, and sends a key only where it is paired', async () => {
  const server = await startScriptedServer(parseRules([{ text: 'hello' }]));
  const { providers } = at('http://127.0.0.1:2');
  let addresses: Record<string, string> | null = null;
  const model = composeMovable(providers, async () => addresses);
  expect(await model.ask(REQUEST)).toMatchObject({ status: 'limited' });
  addresses = { it: `${server.url}/v1`, mine: 'http://elsewhere/v1' };
  expect(await model.ask(REQUEST)).toMatchObject({ status: 'reply' });
  const keyed = at('http://127.0.0.1:2', { key_env: 'SOME_KEY' }).providers;
  expect(await composeMovable(keyed, async () => addresses).ask(REQUEST)).toMatchObject({
    status: 'refused',
    why: expect.stringContaining(`EVO_MODEL_KEYS=SOME_KEY@${server.url}`),
  });
  await server.close();
});
