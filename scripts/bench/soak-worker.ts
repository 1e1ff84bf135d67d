// The worker of the soak: the real one over a file store, whose jobs and queries are made up. It answers its parent's
// messages with what it holds in memory after a collection of garbage.
import { join } from 'node:path';
import { NativeConnection, Runtime } from '@temporalio/worker';
import type { CampaignPorts } from '../../activities/ports/campaign-ports.ts';
import { MemoryAnalytics } from '../../infra/analytics/memory/memory-analytics.ts';
import { GateSecretFile } from '../../infra/gate-secret/gate-secret-file.ts';
import { loadCatalog } from '../../infra/harness-catalog/load-catalog.ts';
import { SyntheticExecutor } from '../../infra/jobs/synthetic/synthetic-executor.ts';
import { CatalogResearcher } from '../../infra/researcher/catalog/catalog-researcher.ts';
import { composeStores } from '../../workers/compose.ts';
import { readEnvironment } from '../../workers/config.ts';
import { createWorker } from '../../workers/create-worker.ts';
import { createLogger, temporalLogger } from '../../workers/logger.ts';
import { gateSecretFile, projectRoot, statePaths } from '../../workers/paths.ts';

const environment = readEnvironment();
Runtime.install({ logger: temporalLogger(createLogger('error')), shutdownSignals: ['SIGTERM'] });
const paths = statePaths(environment.stateDir);
const stores = composeStores({ store: null, sealedStore: null }, environment);
const ports: CampaignPorts = {
  stores,
  executor: new SyntheticExecutor(stores),
  analytics: new MemoryAnalytics({ sealed: null }),
  sealedAnalytics: new MemoryAnalytics(stores),
  researcher: new CatalogResearcher(),
  gateSecret: new GateSecretFile(gateSecretFile(paths, 'soak')),
  catalog: await loadCatalog(join(projectRoot, 'harness')),
  trainerDigest: async () => '0'.repeat(64),
  hostName: 'soak',
};
const address = environment.temporal.address ?? '';
const connection = await NativeConnection.connect({ address });
const worker = await createWorker(connection, environment, () => ports);
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
await worker.run();
await connection.close();
// Its parent's channel would keep it awake.
process.disconnect?.();
