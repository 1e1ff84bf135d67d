// Definitions from the user's own folder.
import { issueText, pathText } from '../core/schemas/issue-text.ts';
import { type CampaignConfig, campaignConfigSchema } from '../core/schemas/campaign-config.ts';
import { usageError } from './exit.ts';
import { composeOwnDefinitions } from '../workers/compose-catalog.ts';

/** Of a config as JSON: the server stores it with the start of every workflow of the campaign. */
const LENGTH_MAX = 128 * 1024;

/** Replaces the folder's path by its content, so that the campaign does not depend on files of this machine. */
export async function withHarnessFolder(config: CampaignConfig): Promise<CampaignConfig> {
  const { harness_folder: folder, ...rest } = config;
  const own = folder === undefined ? [] : await composeOwnDefinitions(folder);
  const whole =
    folder === undefined ? config : { ...rest, definitions: [...(rest.definitions ?? []), ...own] };
  const [issue] = campaignConfigSchema.safeParse(whole).error?.issues ?? [];
  if (issue !== undefined) {
    throw usageError(`${pathText(issue.path)}: ${issueText(issue, whole)}`);
  }
  const length = JSON.stringify(whole).length;
  if (length <= LENGTH_MAX) return whole;
  throw usageError(
    `the config has ${length} characters as JSON, at most ${LENGTH_MAX}: leave out some definitions`,
  );
}
