// A campaign's archive as commands find it: by its workflow where a server answers, else in the state folder.
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Store } from '../activities/ports/store.ts';
import { storeKeys, workflowIds } from '../core/ids.ts';
import type { LedgerRecord } from '../core/schemas/ledger-entry.ts';
import { parseLedgerRecord } from '../core/schemas/parse-ledger-record.ts';
import {
  composeReading,
  type ReadingPorts,
  type RootsConfig,
  storeUrls,
} from '../workers/compose.ts';
import { type Environment, readEnvironment } from '../workers/config.ts';
import { connect, type Connected } from './connect.ts';
import { CommandError, EXIT } from './exit.ts';
import { memoOf } from './start-campaign.ts';

/** Arguments of every command that reads an archive. */
export const archiveArgs = {
  campaign: { type: 'positional', required: true, description: 'name of the campaign' },
  store: { type: 'string', description: 'its open root, where no server knows the campaign' },
  'sealed-store': { type: 'string', description: 'its sealed root, likewise' },
} as const;

export interface Archive extends ReadingPorts {
  readonly campaign: string;
  readonly environment: Environment;
  readonly openUrl: string;
  readonly sealedUrl: string;
}

interface Asked {
  readonly campaign: string;
  readonly store: string | undefined;
  readonly 'sealed-store': string | undefined;
}

/** Opens what `asked` names; works without a server too. */
export async function openArchive(asked: Asked): Promise<Archive> {
  const environment = readEnvironment();
  const place = asked.store
    ? { store: asked.store, sealedStore: asked['sealed-store'] ?? null }
    : await placeFromServer(asked.campaign);
  return archiveAt(asked.campaign, place, environment);
}

export function archiveAt(campaign: string, place: RootsConfig, environment: Environment): Archive {
  const ports = composeReading(place, environment);
  const { open: openUrl, sealed: sealedUrl } = storeUrls(place, environment);
  return { ...ports, campaign, environment, openUrl, sealedUrl };
}

const inStateFolder: RootsConfig = { store: null, sealedStore: null };

async function placeFromServer(campaign: string): Promise<RootsConfig> {
  let connected: Connected;
  try {
    connected = await connect();
  } catch (error) {
    // An archive outlives its servers.
    if (error instanceof CommandError && error.code === EXIT.unreachable) return inStateFolder;
    throw error;
  }
  try {
    return await placeOf(connected, campaign);
  } finally {
    await connected.close();
  }
}

export async function placeOf({ client }: Connected, campaign: string): Promise<RootsConfig> {
  try {
    const found = await client.workflow.getHandle(workflowIds.campaign(campaign)).describe();
    return memoOf(found) ?? inStateFolder;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return inStateFolder;
    throw error;
  }
}

/** Every entry in order; exit 3 for a campaign without one. */
export async function readLedgerOf({
  campaign,
  stores,
  openUrl,
}: Archive): Promise<LedgerRecord[]> {
  const keys = await stores.open.listManifests(storeKeys.ledgerPrefix(campaign));
  if (keys.length === 0) {
    throw new CommandError(
      EXIT.unreachable,
      `${openUrl} holds no ledger of campaign ${campaign}: is the name right? evo status lists campaigns; --store names another archive`,
    );
  }
  return Promise.all(keys.map(async (key) => readRecord(stores.open, key)));
}

async function readRecord(store: Store, key: string): Promise<LedgerRecord> {
  const parsed = parseLedgerRecord(await store.readManifest(key));
  if ('record' in parsed) return parsed.record;
  throw new CommandError(EXIT.failed, `${key} cannot be read: ${parsed.problem}`);
}

/** Addresses of objects and manifests that a person can open; null for those in S3. */
export function fileAddress(storeUrl: string, key: string): string | null {
  if (!storeUrl.startsWith('file:')) return null;
  return pathToFileURL(join(fileURLToPath(storeUrl), key)).href;
}

export const objectKey = (sha256: string): string =>
  `objects/sha256/${sha256.slice(0, 2)}/${sha256}`;
