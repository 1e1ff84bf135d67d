// The context of the page on this machine: archives by name, a client that is opened when a server is there, and a
// watch for each campaign that somebody looks at.
import { randomBytes } from 'node:crypto';
import { archiveAt, type CampaignArchive } from '../../cli/archive.ts';
import { Campaign, listCampaigns } from '../../cli/campaign.ts';
import { attach, type Connected } from '../../cli/connect.ts';
import { observeCampaign } from '../../cli/live/observe.ts';
import { loadReport } from '../../cli/load-report.ts';
import { rootsOf } from '../../cli/server-roots.ts';
import { CAMPAIGN_NAME } from '../../core/ids.ts';
import type { RootsConfig } from '../../workers/compose.ts';
import type { Environment } from '../../workers/config.ts';
import type { CampaignModels } from '../parts/campaign-models.ts';
import { CampaignWatch } from './campaign-watch.ts';
import { NoSuchCampaign, type UiContext } from './context.ts';

export interface ContextOptions {
  readonly environment: Environment;
  readonly readOnly: boolean;
  /** Roots that the user named; null: those that the campaign's workflow names. */
  readonly roots: RootsConfig | null;
}

export interface OpenContext extends UiContext {
  close(): Promise<void>;
}

const IN_STATE_FOLDER: RootsConfig = { store: null, sealedStore: null };

export function openContext({ environment, readOnly, roots }: ContextOptions): OpenContext {
  let connecting: Promise<Connected | null> | null = null;
  const archives = new Map<string, Promise<CampaignArchive>>();
  const watches = new Map<string, CampaignWatch<CampaignModels>>();

  const temporal = async (): Promise<Connected | null> => {
    connecting ??= attach(environment).catch(() => null);
    const connected = await connecting;
    if (connected === null) connecting = null;
    return connected;
  };
  const archive = async (campaign: string): Promise<CampaignArchive> => {
    if (!CAMPAIGN_NAME.test(campaign))
      throw new NoSuchCampaign(`${campaign} is no name of a campaign`);
    const connected = await temporal();
    const known = archives.get(campaign);
    if (known) return known;
    const opened = (async () => {
      const named = connected && (await rootsOf(connected, campaign));
      return archiveAt(campaign, roots ?? named ?? IN_STATE_FOLDER, environment);
    })();
    archives.set(campaign, opened);
    return opened;
  };
  const look = async (campaign: string): Promise<CampaignModels> => {
    const opened = await archive(campaign);
    const connected = await temporal();
    const { model: report, addresses } = await loadReport(opened, { sealed: false });
    const snapshot = connected
      ? await observeCampaign(connected.client, new Campaign(connected, campaign)).catch(() => null)
      : null;
    return { campaign, report, snapshot, outages: [], damages: [], addresses, readOnly };
  };
  const watchOf = (campaign: string): CampaignWatch<CampaignModels> => {
    const known = watches.get(campaign);
    if (known) return known;
    const isOther = (before: CampaignModels, now: CampaignModels): boolean =>
      JSON.stringify(before.snapshot) !== JSON.stringify(now.snapshot);
    const watch = new CampaignWatch({ look: () => look(campaign), isOther });
    watches.set(campaign, watch);
    return watch;
  };
  return {
    environment,
    readOnly,
    csrf: randomBytes(24).toString('base64url'),
    temporal,
    campaigns: async () => {
      const connected = await temporal();
      return connected ? listCampaigns(connected) : [];
    },
    archive,
    models: (campaign) => watchOf(campaign).models(),
    watch: (campaign, onChange) => watchOf(campaign).subscribe(onChange),
    close: async () => {
      for (const opened of archives.values()) await (await opened).close();
      await (await connecting)?.close();
    },
  };
}
