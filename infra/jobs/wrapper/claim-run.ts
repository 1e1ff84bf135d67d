import type { ClaimFolder, ClaimRequest } from '../claim-folder.ts';
import type { EnvironmentVariables } from '../wrapper-environment.ts';
import type { Launch } from './launch.ts';

/** The values that all parts of a wrapper share. */
export interface ClaimRun {
  readonly launch: Launch;
  readonly folder: ClaimFolder;
  readonly request: ClaimRequest;
  /** Aborted with the reason when the wrapper itself must end. */
  readonly ending: AbortSignal;
  /** The wrapper's environment; the trainer gets its non-secret part. */
  readonly variables: EnvironmentVariables;
}
