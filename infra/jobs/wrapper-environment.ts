// The environment of child processes. Secrets are passed on purpose or not at all.

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const OURS = /^(EVO_|TEMPORAL_)/;
const AWS = /^AWS_/;
const SECRET = /(TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?|API_?KEY)/i;
/** Variables of the worker's parent that would change how Node or Python start. */
const STARTUP = /^(NODE_OPTIONS|NODE_CHANNEL_FD|PYTHONPATH|PYTHONHOME|VITEST.*)$/;

/** Without configured credentials, the wrapper finds those of the machine. */
export function wrapperVariables(all: EnvironmentVariables): Record<string, string> {
  return keep(all, (name) => AWS.test(name) || !SECRET.test(name));
}

/** Removed for a trainer, which uses no network. */
export function trainerVariables(all: EnvironmentVariables): Record<string, string> {
  return keep(all, (name) => !AWS.test(name) && !SECRET.test(name));
}

function keep(
  all: EnvironmentVariables,
  wanted: (name: string) => boolean,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    if (value === undefined || OURS.test(name) || STARTUP.test(name) || !wanted(name)) continue;
    kept[name] = value;
  }
  return kept;
}
