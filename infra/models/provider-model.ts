// Language models behind the AI SDK's provider packages, one HTTP request an ask. Their retries, their agent loop and
// their error objects, which hold whole requests, are not used.
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Model, ModelOutcome, ModelRequest } from '../../activities/ports/model.ts';
import { printable } from '../../core/printable.ts';
import type { ModelReply } from '../../core/schemas/inquiry.ts';
import type { ProviderConfig } from '../../core/schemas/researcher-config.ts';
import {
  limitedFetch,
  type FetchLimits,
  type LimitedFetch,
  type RequestEnd,
} from './limited-fetch.ts';
import { callOptions, contentOf, finishOf } from './prompt.ts';
import { boundedUsage } from './usage.ts';

const WHY_MAX = 300;
const NAME_MAX = 200;
/** A key shorter than this would be found in ordinary words. */
const KEY_LENGTH_MIN = 8;

export interface Provider {
  readonly config: ProviderConfig;
  /** Null = the provider needs none. */
  readonly key: string | null;
}

export class ProviderModel implements Model {
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #limits: FetchLimits | undefined;

  constructor(providers: ReadonlyMap<string, Provider>, limits?: FetchLimits) {
    this.#providers = providers;
    this.#limits = limits;
  }

  async ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelOutcome> {
    const [name = '', ...rest] = request.model.split('/');
    const provider = this.#providers.get(name);
    if (provider === undefined) {
      return { status: 'refused', why: `providers names no ${name}, which ${request.model} needs` };
    }
    const { key_env: keyEnv } = provider.config;
    if (keyEnv !== null && provider.key === null) {
      return { status: 'refused', why: `${keyEnv} is not set where the worker runs` };
    }
    const http = limitedFetch(this.#limits);
    const outcome = await this.#send(provider, rest.join('/'), http, request, signal);
    return withoutKey(outcome, provider.key);
  }

  async #send(
    provider: Provider,
    model: string,
    http: LimitedFetch,
    request: ModelRequest,
    signal: AbortSignal | undefined,
  ): Promise<ModelOutcome> {
    try {
      const language = await languageModel(provider, model, http.fetch);
      const result = await language.doGenerate(callOptions(request, signal));
      if (http.end()?.kind !== 'answered') return failed(http.end(), null);
      const content = contentOf(result);
      const reply: ModelReply = {
        content,
        finish: finishOf(result),
        usage: boundedUsage(result.usage, {
          sentBytes: http.sentBytes(),
          repliedBytes: Buffer.byteLength(JSON.stringify(content)),
          outputTokensMax: request.outputTokensMax,
        }),
        model: printable(result.response?.modelId ?? model).slice(0, NAME_MAX),
      };
      return { status: 'reply', reply };
    } catch (error) {
      signal?.throwIfAborted();
      return failed(http.end(), error);
    }
  }
}

/** Packages are loaded when a campaign first asks a model. */
async function languageModel(
  { config, key }: Provider,
  model: string,
  fetch: LimitedFetch['fetch'],
): Promise<LanguageModelV4> {
  if (config.type === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    const address = config.base_url === null ? {} : { baseURL: config.base_url };
    return createAnthropic({ ...address, apiKey: key ?? '', fetch })(model);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name: 'provider',
    baseURL: config.base_url,
    ...(key === null ? {} : { apiKey: key }),
    fetch,
    // Messages grow at their end, so whatever does not change stands before them and stays cached.
    transformRequestBody: ({ messages, ...body }) => ({ ...body, messages }),
  })(model);
}

function failed(end: RequestEnd | null, error: unknown): ModelOutcome {
  if (end === null)
    return { status: 'refused', why: `the request was not sent: ${oneLine(error)}` };
  switch (end.kind) {
    case 'unsent':
      return limited(`no connection (${end.code})`, false);
    case 'silent':
      return limited('no byte came in time', true);
    case 'cut':
      return limited('the connection broke before the reply was whole', true);
    case 'too-large':
      return { status: 'refused', why: 'the reply has more than 1 MiB' };
    case 'answered':
      return answered(end, error);
  }
}

function answered(
  { status, retryAfter }: Extract<RequestEnd, { kind: 'answered' }>,
  error: unknown,
): ModelOutcome {
  if (status < 300) return limited(`the reply cannot be read: ${oneLine(error)}`, true);
  const why = `HTTP ${status}: ${oneLine(error)}`;
  const mayPass = status === 408 || status === 409 || status === 429 || status >= 500;
  if (!mayPass) return { status: 'refused', why };
  return { ...limited(why, false), waitS: secondsOf(retryAfter) };
}

const limited = (why: string, mayBeCharged: boolean) =>
  ({ status: 'limited', why, waitS: null, mayBeCharged }) as const;

/** Of a number of seconds or a date. */
function secondsOf(retryAfter: string | null): number | null {
  if (retryAfter === null) return null;
  const seconds = /^\d+(\.\d+)?$/.test(retryAfter)
    ? Number(retryAfter)
    : (Date.parse(retryAfter) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

const oneLine = (error: unknown): string =>
  printable(error instanceof Error ? error.message : String(error)).slice(0, WHY_MAX);

/** Providers repeat keys in their errors, and a model could be made to repeat one in its reply. */
function withoutKey<Outcome extends ModelOutcome>(outcome: Outcome, key: string | null): Outcome {
  if (key === null || key.length < KEY_LENGTH_MIN) return outcome;
  const quoted = JSON.stringify(key).slice(1, -1);
  const text = JSON.stringify(outcome);
  return text.includes(quoted) ? JSON.parse(text.replaceAll(quoted, '[key]')) : outcome;
}
