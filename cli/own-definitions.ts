// Definitions from the user's own folder. A faulty definition is a usage error.
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import type { Definition } from '../core/schemas/harness.ts';
import { CatalogError, composeOwnDefinitions } from '../workers/compose-catalog.ts';
import { usageError } from './exit.ts';

export async function ownDefinitions(folder: string): Promise<Definition[]> {
  try {
    return await composeOwnDefinitions(folder);
  } catch (error) {
    if (error instanceof CatalogError) throw usageError(error.message);
    throw error;
  }
}

/** Replaces the folder's path by its content, so that the campaign does not depend on files of this machine. */
export async function withHarnessFolder(config: CampaignConfig): Promise<CampaignConfig> {
  const { harness_folder: folder, ...rest } = config;
  if (folder === undefined) return config;
  const definitions = [...(rest.definitions ?? []), ...(await ownDefinitions(folder))];
  return { ...rest, definitions };
}
