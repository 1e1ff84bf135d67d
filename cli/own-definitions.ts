// Definitions from a folder of the user's own; what is wrong with one is wrong usage.
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

/** The config with the folder's content in place of its path, so that a campaign does not hang on this machine's files. */
export async function withHarnessFolder(config: CampaignConfig): Promise<CampaignConfig> {
  const { harness_folder: folder, ...rest } = config;
  if (folder === undefined) return config;
  const definitions = [...(rest.definitions ?? []), ...(await ownDefinitions(folder))];
  return { ...rest, definitions };
}
