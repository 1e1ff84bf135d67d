import type { ClaimFolder, ClaimRequest } from '../claim-folder.ts';
import type { EnvironmentVariables } from '../wrapper-environment.ts';
import type { Launch } from './launch.ts';

/** One run of one claim, as all parts of its wrapper know it. */
export interface ClaimRun {
  readonly launch: Launch;
  readonly folder: ClaimFolder;
  readonly request: ClaimRequest;
  /** Aborted with the reason when the wrapper itself is told to end. */
  readonly ending: AbortSignal;
  /** The wrapper's environment; the trainer sees what is not secret of it. */
  readonly variables: EnvironmentVariables;
}
