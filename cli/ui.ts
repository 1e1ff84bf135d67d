// Serves the live page until Ctrl-C.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../workers/config.ts';
import { statePaths } from '../workers/paths.ts';
import { createApp } from '../web/server/app.ts';
import { linksIn, makeLink } from '../web/server/links.ts';
import { openContext } from '../web/server/open-context.ts';
import { listen, type Served } from '../web/server/serve.ts';
import { campaignName, storeAddress, wholeNumber } from './arguments.ts';
import { evoCommand } from './define-command.ts';
import { EXIT, usageError } from './exit.ts';
import { say } from './terminal/printable.ts';

const DEFAULT_PORT = 8235;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

export const command = evoCommand({
  name: 'ui',
  description: 'Serve the live page of all campaigns, or of one, and print its address.',
  args: {
    campaign: { type: 'positional', required: false, description: 'open the page of this one' },
    port: {
      type: 'string',
      description: `default: ${DEFAULT_PORT}, or a free one if that is taken; 0 = any free one`,
    },
    host: {
      type: 'string',
      description: 'address to listen on; other than loopback needs --token-file',
    },
    'token-file': {
      type: 'string',
      description: 'file with the password for those who have no link',
    },
    'read-only': { type: 'boolean', description: 'without controls' },
    store: { type: 'string', description: 'open root, if no server knows the campaign' },
    'sealed-store': { type: 'string', description: 'sealed root, if no server knows the campaign' },
    'no-open': { type: 'boolean', description: 'open no browser' },
  },
  async run(args) {
    const environment = readEnvironment();
    const campaign = args.campaign === undefined ? null : campaignName(args.campaign);
    const store = storeAddress('store', args.store);
    const sealedStore = storeAddress('sealed-store', args['sealed-store']);
    const host = args.host ?? '127.0.0.1';
    const token = tokenOf(args['token-file']);
    if (!LOOPBACK.includes(host) && host !== '::1' && token === null) {
      throw usageError(
        `--host ${host} can be reached by others: give --token-file with a password for them`,
      );
    }
    const folder = statePaths(environment.stateDir).pages;
    const links = join(folder, 'links');
    const key = pageKey(folder);
    const readOnly = args['read-only'] === true;
    const roots = store === null ? null : { store, sealedStore };
    const context = openContext({ environment, readOnly, roots });
    const hosts = [...LOOPBACK, host.toLowerCase(), hostname().toLowerCase()];
    const asked = wholeNumber('port', args.port, 0);
    const makeApp = (port: number) =>
      createApp(context, { hosts, port, key, token, links: linksIn(links) });
    const served = await listenAt(makeApp, host, asked);
    const to = campaign === null ? '/' : `/c/${campaign}`;
    const shown = host.includes(':') ? `[${host}]` : host;
    say(`http://${shown}:${served.port}/enter?code=${makeLink(links)}&to=${to}`);
    await untilSignal();
    await served.close();
    await context.close();
    return EXIT.ok;
  },
});

/** Without a wish, another port will do. */
async function listenAt(
  makeApp: Parameters<typeof listen>[0],
  host: string,
  asked: number | null,
): Promise<Served> {
  try {
    return await listen(makeApp, host, asked ?? DEFAULT_PORT);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (isTaken && asked === null) return listen(makeApp, host, 0);
    if (isTaken)
      throw usageError(`port ${asked} is taken: choose another with --port (0 = any free one)`);
    throw error;
  }
}

function tokenOf(file: string | undefined): string | null {
  if (file === undefined) return null;
  const token = readFileSync(file, 'utf8').trim();
  if (token.length >= 16) return token;
  throw usageError(`--token-file ${file} must hold at least 16 characters`);
}

/** Made once, so that sessions outlive a restart. */
function pageKey(folder: string): Uint8Array {
  const file = join(folder, 'key');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file);
}

const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
