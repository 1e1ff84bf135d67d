// Builds the probes with which `evo doctor` checks the roots of a campaign, or a store that is not configured yet.
import type { StoreProbe } from '../activities/ports/store-probe.ts';
import { openProbe } from '../infra/store/open-probe.ts';
import { s3Access, type RootsConfig, storeUrls } from './compose.ts';
import type { Environment } from './config.ts';

/** A person waits for the answer. */
const REQUEST_TIMEOUT_MS = 10_000;

export interface StoreProbes {
  readonly open: StoreProbe;
  readonly sealed: StoreProbe;
}

export function composeProbes(roots: RootsConfig, environment: Environment): StoreProbes {
  const urls = storeUrls(roots, environment);
  const access = s3Access(environment);
  const probe = (root: 'open' | 'sealed'): StoreProbe => {
    const requestTimeoutMs = access[root].requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    return openProbe(urls[root], root, { s3: { ...access[root], requestTimeoutMs } });
  };
  return { open: probe('open'), sealed: probe('sealed') };
}
