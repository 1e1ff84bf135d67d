// Which of our variables a child sees. Secrets are handed over on purpose or not at all.

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

const OURS = /^(EVO_|TEMPORAL_)/;
const AWS = /^AWS_/;
const SECRET = /(TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?|API_?KEY)/i;
/** Would change how Node or Python start, and comes from whoever started the worker. */
const STARTUP = /^(NODE_OPTIONS|NODE_CHANNEL_FD|PYTHONPATH|PYTHONHOME|VITEST.*)$/;

/** The wrapper finds S3 by the machine's own means where no credentials are configured. */
export function wrapperVariables(all: EnvironmentVariables): Record<string, string> {
  return keep(all, (name) => AWS.test(name) || !SECRET.test(name));
}

/** A trainer talks to nobody. */
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
