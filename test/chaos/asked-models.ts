// The models that a disturbed campaign asks: one server, outside everything that can be struck, which takes its time so
// that kills meet calls, and keeps what it served.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ScriptedServer, startScriptedServer } from '../../scripts/models/scripted-server.ts';
import type { AskedTurn, Rule } from '../../scripts/models/script.ts';

/** One request, by the number that its reply carries. */
export interface AskedRequest {
  readonly number: number;
  readonly asked: Omit<AskedTurn, 'text'>;
  /** Of `performance.now`. */
  readonly arrivedAt: number;
  /** `served`: a whole reply was written; `refused`: an error was; null: nobody was there any more to read it. */
  end: 'served' | 'refused' | null;
}

export interface AskedModels extends Pick<ScriptedServer, 'url' | 'close'> {
  readonly requests: readonly AskedRequest[];
}

export async function startModels(rules: readonly Rule[], delayMs: number): Promise<AskedModels> {
  const requests: AskedRequest[] = [];
  const server = await startScriptedServer(rules, {
    onRequest: async ({ number, asked: { specialist, generation, turn } }, response) => {
      const asked = { specialist, generation, turn };
      const request: AskedRequest = { number, asked, arrivedAt: performance.now(), end: null };
      requests.push(request);
      response.once('finish', () => {
        request.end = response.statusCode < 400 ? 'served' : 'refused';
      });
      await sleep(delayMs);
    },
  });
  return { url: server.url, close: async () => server.close(), requests };
}
