// What S3 says, or the way to it, as a StoreError.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { StoreError } from '../../../activities/ports/store-error.ts';
import type { StoreErrorKind } from '../../../activities/ports/store-error.ts';
import { systemCode } from '../disk-error.ts';

interface Words {
  readonly problem: string;
  readonly cure: string;
}

const words: Record<StoreErrorKind, Words> = {
  missing: { problem: 'there is no such object', cure: 'check who should have stored it' },
  damaged: {
    problem: 'the bytes changed on their way to the store',
    cure: 'run again; if it comes back, check the network and the memory of this machine',
  },
  full: {
    problem: 'the store has no space left',
    cure: 'free space or raise its quota, run again; what was finished is kept',
  },
  unreachable: {
    problem: 'the store did not answer as it should',
    cure: 'check its address and that it runs; the work goes on when it is back',
  },
  denied: {
    problem: 'the store refuses these credentials',
    cure: 'check the access key, its secret and what it may do in this bucket',
  },
  invalid: {
    problem: 'the store refuses the request',
    cure: 'check the bucket and run evo doctor',
  },
};

const expired: Words = {
  problem: 'the credentials of the store have expired',
  cure: 'give new ones; a role or a profile with credential_process renews them by itself',
};
const skewed: Words = {
  problem: 'the clocks of this machine and of the store differ by more than the store allows',
  cure: 'set the clock of the machine that is wrong, best by NTP (timedatectl set-ntp true)',
};
const unknownKey: Words = {
  problem: 'the store does not know this access key',
  cure: 'check AWS_ACCESS_KEY_ID (EVO_SEALED_AWS_ACCESS_KEY_ID for the sealed root)',
};
/** Codes of S3, and of the system on the way to it, that have a cure of their own. */
const known: Readonly<Record<string, Words>> = {
  ExpiredToken: expired,
  RequestTimeTooSkewed: skewed,
  InvalidAccessKeyId: unknownKey,
  XAdminUserNotFound: unknownKey,
  SignatureDoesNotMatch: {
    problem: 'the secret does not belong to this access key',
    cure: 'check AWS_SECRET_ACCESS_KEY (EVO_SEALED_AWS_SECRET_ACCESS_KEY for the sealed root)',
  },
  AccessDenied: {
    problem: 'these credentials may not do this in this bucket',
    cure: 'give them the rights that docs/store-keys.md lists',
  },
  CredentialsProviderError: {
    problem: 'there are no credentials for the store',
    cure: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give a role',
  },
  NoSuchBucket: {
    problem: 'there is no such bucket',
    cure: 'check its name and the address of the store, or make it',
  },
  PermanentRedirect: {
    problem: 'the bucket is in another region',
    cure: 'set AWS_REGION to the region of the bucket',
  },
  ENOTFOUND: {
    problem: 'there is no host of this name',
    cure: 'check AWS_ENDPOINT_URL_S3 and the DNS of this machine',
  },
  EAI_AGAIN: {
    problem: 'the name of the host could not be looked up',
    cure: 'check the network and the DNS of this machine',
  },
  ECONNREFUSED: {
    problem: 'nobody listens at the address of the store',
    cure: 'start it, or check AWS_ENDPOINT_URL_S3; the work goes on when it is back',
  },
  ECONNRESET: {
    problem: 'the connection to the store was cut',
    cure: 'check the network and that the store runs; the work goes on when it is back',
  },
  TimeoutError: {
    problem: 'the store did not answer in time',
    cure: 'check its address, the network and its load; EVO_S3_REQUEST_TIMEOUT_MS gives it longer',
  },
};

const denied = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  // What versitygw says of an unknown key, as 404: taken for a missing object, the store would look empty.
  'XAdminUserNotFound',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'AllAccessDisabled',
]);
/** The answer to a HEAD has no body, and so no code of S3's. */
const gone = new Set(['NoSuchKey', 'NotFound', 'Unknown', 'UnknownError']);
const full = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']);

export function s3Error(error: unknown, where: string): unknown {
  if (error instanceof StoreError) return error;
  const kind = kindOf(error);
  if (kind === undefined || !(error instanceof Error)) return error;
  const code = systemCode(error);
  // The SDK calls a cut connection a timeout too, so the system's code comes first.
  const { problem, cure } = known[code ?? ''] ?? known[error.name] ?? words[kind];
  const said = `${problem} (${[error.name, error.message].filter(Boolean).join(': ')})`;
  return new StoreError({ kind, where, problem: said, cure, cause: error });
}

/** Undefined for what did not come from the service or the way to it: a mistake of the program stays one. */
function kindOf(error: unknown): StoreErrorKind | undefined {
  if (error instanceof S3ServiceException) return kindOfAnswer(error);
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'CredentialsProviderError') return 'denied';
  const foreign = systemCode(error) !== undefined || hasMetadata(error);
  return foreign ? 'unreachable' : undefined;
}

function kindOfAnswer(error: S3ServiceException): StoreErrorKind {
  const status = error.$metadata.httpStatusCode ?? 500;
  if (denied.has(error.name)) return 'denied';
  if (full.has(error.name) || status === 507) return 'full';
  if (error.name === 'NoSuchBucket') return 'invalid';
  if (error.name === 'BadDigest' || error.name.includes('Checksum')) return 'damaged';
  // The upload is over, which a completion whose answer was lost does to it too.
  if (error.name === 'NoSuchUpload') return 'unreachable';
  if (status === 404) return gone.has(error.name) ? 'missing' : 'invalid';
  if (status === 401 || status === 403) return 'denied';
  const settles = status >= 500 || status === 409 || status === 412 || status === 429;
  return settles || error.name === 'RequestTimeout' || error.name === 'SlowDown'
    ? 'unreachable'
    : 'invalid';
}

/** The SDK marks what happened on the way: timeouts, cut connections, answers that do not parse. */
function hasMetadata(error: Error): boolean {
  return '$metadata' in error || error.name === 'TimeoutError' || error.name === 'AbortError';
}
