// Starts a campaign, or attaches to it if one with the same config digest runs or has a ledger.
import {
  WorkflowExecutionAlreadyStartedError,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { digestOf } from '../activities/shared/config-digest.ts';
import { campaignStart, HISTORY_BYTES_MAX } from '../core/campaign.ts';
import { storeKeys, TASK_QUEUE, workflowIds } from '../core/ids.ts';
import type { CampaignConfig } from '../core/schemas/campaign-config.ts';
import { parseLedgerRecord } from '../core/schemas/parse-ledger-record.ts';
import { composeStores } from '../workers/compose.ts';
import { memoOf } from './campaign-memo.ts';
import type { Connected } from './connect.ts';
import { CommandError, EXIT } from './exit.ts';

export type Start = 'started' | 'attached' | 'continued';

export async function startCampaign(connected: Connected, config: CampaignConfig): Promise<Start> {
  const { client } = connected;
  const workflowId = workflowIds.campaign(config.name);
  const configDigest = digestOf(config);
  const running = await runningCampaign(connected, config.name);
  if (running) {
    refuseOther(config.name, configDigest, memoOf(running)?.configDigest ?? null);
    return 'attached';
  }
  const recorded = await recordedDigest(connected, config);
  refuseOther(config.name, configDigest, recorded);
  const { store, sealed_store: sealedStore, store_group_access: storeGroupAccess } = config;
  // `evo verify` needs the config to recompute the gate's decisions.
  const roots = { store, sealedStore, storeGroupAccess };
  const { open: root } = composeStores(roots, connected.environment);
  await root.createManifest(storeKeys.campaignConfig(config.name, configDigest), config);
  try {
    await client.workflow.start('campaignWorkflow', {
      workflowId,
      taskQueue: TASK_QUEUE,
      args: [{ config, configDigest, historyBytesMax: HISTORY_BYTES_MAX }],
      ...campaignStart(config, configDigest, new Date()),
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // Another evo run was faster.
    return startCampaign(connected, config);
  }
  return recorded === null ? 'started' : 'continued';
}

/** Null if the campaign is not running. */
async function runningCampaign(
  { client }: Connected,
  name: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    const found = await client.workflow.getHandle(workflowIds.campaign(name)).describe();
    return found.status.name === 'RUNNING' ? found : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** The config digest in the ledger; null for a campaign without a ledger. */
async function recordedDigest(
  connected: Connected,
  config: CampaignConfig,
): Promise<string | null> {
  const roots = { store: config.store, sealedStore: config.sealed_store };
  const { open } = composeStores(roots, connected.environment);
  const keys = await open.listManifests(storeKeys.ledgerPrefix(config.name));
  for (const key of keys) {
    const parsed = parseLedgerRecord(await open.readManifest(key));
    if ('problem' in parsed) {
      throw new CommandError(EXIT.failed, `${key} cannot be read: ${parsed.problem}`);
    }
    const { entry } = parsed.record;
    if (entry.draft.kind === 'calibrated') return entry.draft.body.configDigest;
  }
  return null;
}

function refuseOther(name: string, digest: string, recorded: string | null): void {
  if (recorded === null || recorded === digest) return;
  throw new CommandError(
    EXIT.refused,
    [
      `campaign ${name} was started with another config (digest ${recorded.slice(0, 12)}, this one has ${digest.slice(0, 12)}).`,
      'Results of different configs cannot be compared: choose another name (--set name=…) or restore the config. The tests of all names in a store share one α.',
    ].join('\n'),
  );
}
