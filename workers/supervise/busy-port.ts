// A port that another process holds: which port, which process, and the cure.
import { portHolder, probePort } from '../../infra/process/port-holder.ts';
import type { SupervisorState } from './supervisor-state.ts';

const variables = {
  temporal: 'EVO_TEMPORAL_PORT',
  ui: 'EVO_UI_PORT',
  s3: 'EVO_S3_PORT',
} as const;

export interface BusyPort {
  readonly problem: string;
  readonly cure: string;
}

/** Null if all of them are free. */
export async function busyPort(
  wanted: readonly number[],
  ports: SupervisorState['ports'],
): Promise<BusyPort | null> {
  for (const [use, variable] of Object.entries(variables)) {
    const port = use === 'temporal' ? ports.temporal : use === 'ui' ? ports.ui : ports.s3;
    if (port === null || !wanted.includes(port) || (await probePort(port)) !== null) continue;
    const holder = portHolder(port);
    return {
      problem: `port ${port} is taken${holder ? ` by ${holder}` : ''}`,
      cure: `choose another with ${variable}=${port + 10} (0 = any free one)`,
    };
  }
  return null;
}
