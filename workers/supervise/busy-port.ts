// One line about a port that somebody else holds: which, who, and the cure.
import { portHolder, probePort } from '../../infra/process/port-holder.ts';
import type { SupervisorState } from './supervisor-state.ts';

const variables = {
  temporal: 'EVO_TEMPORAL_PORT',
  ui: 'EVO_UI_PORT',
  s3: 'EVO_S3_PORT',
} as const;

/** Null where all of them are free. */
export async function busyPort(
  wanted: readonly number[],
  ports: SupervisorState['ports'],
): Promise<string | null> {
  for (const [use, variable] of Object.entries(variables)) {
    const port = use === 'temporal' ? ports.temporal : use === 'ui' ? ports.ui : ports.s3;
    if (port === null || !wanted.includes(port) || (await probePort(port)) !== null) continue;
    const holder = portHolder(port);
    return `port ${port} is taken${holder ? ` by ${holder}` : ''}: choose another with ${variable}=${port + 10} (0 = any free one)`;
  }
  return null;
}
