// The worker of a bench: the real one on a file store, with synthetic queries. It answers each message of its parent
// with its memory after a garbage collection, and its CPU time.
import { join } from 'node:path';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { CampaignPorts } from '../../activities/ports/campaign-ports.ts';
import type { Executor } from '../../activities/ports/executor.ts';
import type { Stores } from '../../activities/ports/store.ts';
import { MemoryAnalytics } from '../../infra/analytics/memory/memory-analytics.ts';
import { GateSecretFile } from '../../infra/gate-secret/gate-secret-file.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { CatalogResearcher } from '../../infra/researcher/catalog/catalog-researcher.ts';
import { composeStores } from '../../workers/compose.ts';
import { type Environment, readEnvironment } from '../../workers/config.ts';
import { createWorker } from '../../workers/create-worker.ts';
import { createLogger, temporalLogger } from '../../workers/logger.ts';
import { gateSecretFile, projectRoot, statePaths } from '../../workers/paths.ts';

export interface ExecutorNeeds {
  readonly environment: Environment;
  readonly stores: Stores;
  readonly gateSecretFile: string;
}

export async function runBenchWorker(
  executorOn: (needs: ExecutorNeeds) => Executor,
): Promise<void> {
  const environment = readEnvironment();
  Runtime.install({ logger: temporalLogger(createLogger('error')), shutdownSignals: ['SIGTERM'] });
  const stores = composeStores({ store: null, sealedStore: null }, environment);
  const secretFile = gateSecretFile(statePaths(environment.stateDir), 'bench');
  const ports: CampaignPorts = {
    stores,
    executor: executorOn({ environment, stores, gateSecretFile: secretFile }),
    analytics: new MemoryAnalytics({ sealed: null }),
    sealedAnalytics: new MemoryAnalytics(stores),
    researcher: new CatalogResearcher(),
    gateSecret: new GateSecretFile(secretFile),
    catalog: await loadCatalog(join(projectRoot, 'harness')),
    trainerDigest: async () => '0'.repeat(64),
    hostName: 'bench',
  };
  const connection = await NativeConnection.connect({
    address: environment.temporal.address ?? '',
  });
  const worker = await createWorker(connection, environment, () => ports);
  process.on('message', () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ ...process.memoryUsage(), cpuS: (user + system) / 1e6 });
  });
  await worker.run();
  await connection.close();
  // The channel to the parent would keep the process alive.
  process.disconnect?.();
}
