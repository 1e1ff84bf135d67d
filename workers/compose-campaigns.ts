// Builds the ports of every campaign a worker serves, one set a scope, from the environment and the campaign's config.
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import type { CampaignPorts, PortsOf } from '../activities/ports/campaign-ports.ts';
import { canonicalJson } from '../core/canonical-json.ts';
import type { CampaignScope } from '../core/generation.ts';
import type { Catalog } from '../core/harness/definition.ts';
import { DuckDbAnalytics } from '../infra/analytics/duckdb/duckdb-analytics.ts';
import { GateSecretFile } from '../infra/gate-secret/gate-secret-file.ts';
import { loadCatalog } from '../infra/harness-catalog/load-catalog.ts';
import { localExecutor } from '../infra/jobs/local/local-executor.ts';
import { CatalogResearcher } from '../infra/researcher/catalog/catalog-researcher.ts';
import { trainerDigest } from '../infra/trainer/trainer-digest.ts';
import { composeStores, storeAddresses } from './compose.ts';
import { workerVariables, type Environment } from './config.ts';
import { gateSecretFile, projectRoot, statePaths } from './paths.ts';
import { trainerCommand, trainerFolder } from './compose-trainer.ts';

export interface Campaigns {
  readonly portsOf: PortsOf;
  close(): Promise<void>;
}

/** Reads the catalogue once; everything else is made when a campaign first asks for it. */
export async function composeCampaigns(environment: Environment): Promise<Campaigns> {
  const catalog = await loadCatalog(join(projectRoot, 'harness'));
  const made = new Map<string, CampaignPorts>();
  return {
    portsOf: (scope) => {
      const name = canonicalJson(scope);
      const ports = made.get(name) ?? composeCampaign(scope, environment, catalog);
      made.set(name, ports);
      return ports;
    },
    close: async () => {
      const all = [...made.values()].flatMap(({ analytics, sealedAnalytics }) => [
        analytics,
        sealedAnalytics,
      ]);
      await Promise.all(all.map(async (one) => one.close()));
    },
  };
}

function composeCampaign(
  scope: CampaignScope,
  environment: Environment,
  catalog: Catalog,
): CampaignPorts {
  const paths = statePaths(environment.stateDir);
  const stores = composeStores(scope, environment);
  const secretFile = environment.gateSecretFile ?? gateSecretFile(paths, scope.campaign);
  const { slots, stall_limit_s: stallLimitS } = scope.executor;
  return {
    stores,
    executor: localExecutor({
      jobsRoot: paths.jobs,
      slots: { database: paths.slots, count: slots ?? availableParallelism() },
      store: stores.open,
      stores: storeAddresses(scope, environment),
      trainer: {
        command: trainerCommand('evotrainer'),
        cwd: trainerFolder,
        // One thread a job: it repeats bit for bit, and jobs share the machine by slots.
        variables: { OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' },
      },
      gateSecretFile: secretFile,
      variables: workerVariables(),
      stallMs: stallLimitS * 1000,
    }),
    analytics: new DuckDbAnalytics({ open: stores.open, sealed: null }, paths.cache),
    sealedAnalytics: new DuckDbAnalytics(stores, `${paths.cache}-sealed`),
    researcher: new CatalogResearcher(),
    gateSecret: new GateSecretFile(secretFile),
    catalog,
    trainerDigest: async () => trainerDigest(trainerFolder),
    hostName: hostname(),
  };
}
