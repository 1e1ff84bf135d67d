// The provider packages in both forms of the wire, against the scripted server.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ProviderModel } from '../../infra/models/provider-model.ts';
import { parseRules } from '../../scripts/models/script.ts';
import { startScriptedServer } from '../../scripts/models/scripted-server.ts';
import { describeModel, KEY, REQUEST } from './model.contract.ts';
import { FAULTS } from './model-faults.ts';

/** Short, so that a silent server ends a test soon; the server answers at once or never. */
const LIMITS = { silenceMs: 1500, totalMs: 3000 };

const openAi = (url: string, key: string | null) =>
  new ProviderModel(
    new Map([
      [
        'it',
        {
          config: {
            type: 'openai-compatible',
            base_url: `${url}/v1`,
            key_env: 'TEST_KEY',
          } as const,
          key,
          keyFault: key === null ? 'TEST_KEY is not set' : null,
        },
      ],
    ]),
    LIMITS,
  );

const anthropic = (url: string, key: string | null) =>
  new ProviderModel(
    new Map([
      [
        'it',
        {
          config: { type: 'anthropic', base_url: `${url}/v1`, key_env: 'TEST_KEY' } as const,
          key,
          keyFault: key === null ? 'TEST_KEY is not set' : null,
        },
      ],
    ]),
    LIMITS,
  );

describeModel(
  "OpenAI's form",
  {
    negativeUsage: { prompt_tokens: -5, completion_tokens: -1 },
    hugeUsage: { prompt_tokens: 1e12, completion_tokens: 1e12 },
    withoutUsage: 'reply',
  },
  openAi,
);

describeModel(
  "Anthropic's form",
  {
    negativeUsage: { input_tokens: -5, output_tokens: -1 },
    hugeUsage: { input_tokens: 1e12, output_tokens: 1e12, cache_read_input_tokens: 1e12 },
    withoutUsage: 'limited',
  },
  anthropic,
);

it('each fault of a provider has its row in docs/bad-replies.md', () => {
  const page = readFileSync(new URL('../../docs/bad-replies.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (.+?) \| (limited|refused) \|/gm)];
  expect(rows.map(([, name, status]) => ({ name, status }))).toEqual(
    FAULTS.map(({ name, status }) => ({ name, status })),
  );
});

describe("Anthropic's form alone", () => {
  it('counts what the provider writes into its cache, which has a price of its own', async () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 3,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 50,
    };
    const server = await startScriptedServer(parseRules([{ text: 'ok', usage }]));
    const outcome = await anthropic(server.url, KEY).ask(REQUEST);
    await server.close();
    expect(outcome).toMatchObject({ reply: { usage: { input: 100, cached: 40, written: 50 } } });
  });
});

describe("OpenAI's form alone", () => {
  it('passes on arguments that are not JSON', async () => {
    const server = await startScriptedServer(
      parseRules([{ calls: [{ tool: 'submit', input: '{"nothing": "cut' }] }]),
    );
    const outcome = await openAi(server.url, KEY).ask(REQUEST);
    await server.close();
    expect(outcome).toMatchObject({
      status: 'reply',
      reply: { content: [{ tool: 'submit', input: '{"nothing": "cut' }] },
    });
  });

  it('sends what grows last, so that the rest of a request stays cached', async () => {
    const server = await startScriptedServer(parseRules([{ text: 'ok' }]));
    await openAi(server.url, KEY).ask(REQUEST);
    await server.close();
    const keys = Object.keys(JSON.parse(server.requests[0]?.body ?? ''));
    expect(keys.at(-1)).toBe('messages');
  });
});
