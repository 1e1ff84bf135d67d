// What S3 says, as a StoreError.
import { S3ServiceException } from '@aws-sdk/client-s3';
import { StoreError } from '../../../activities/ports/store-error.ts';
import type { StoreErrorKind } from '../../../activities/ports/store-error.ts';
import { systemCode } from '../disk-error.ts';

const denied = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'RequestTimeTooSkewed',
  'AllAccessDisabled',
]);
const full = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage']);

const words: Record<StoreErrorKind, { problem: string; cure: string }> = {
  missing: { problem: 'there is no such object', cure: 'check who should have stored it' },
  damaged: {
    problem: 'the bytes changed on their way to the store',
    cure: 'run again; if it comes back, check the network and the memory of this machine',
  },
  full: {
    problem: 'the store has no space left',
    cure: 'free space or raise its quota, run again',
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

export function s3Error(error: unknown, place: string): unknown {
  if (error instanceof StoreError) return error;
  const kind = kindOf(error);
  if (kind === undefined) return error;
  const { problem, cure } = words[kind];
  const said = error instanceof Error ? ` (${error.name}: ${error.message})` : '';
  return new StoreError({ kind, place, problem: problem + said, cure, cause: error });
}

/** Undefined for what did not come from the service or the way to it: a mistake of the program stays one. */
function kindOf(error: unknown): StoreErrorKind | undefined {
  if (error instanceof S3ServiceException) return kindOfAnswer(error);
  const foreign = systemCode(error) !== undefined || (error instanceof Error && hasMetadata(error));
  return foreign ? 'unreachable' : undefined;
}

function kindOfAnswer(error: S3ServiceException): StoreErrorKind {
  const status = error.$metadata.httpStatusCode ?? 500;
  if (denied.has(error.name)) return 'denied';
  if (full.has(error.name) || status === 507) return 'full';
  if (error.name === 'NoSuchBucket') return 'invalid';
  if (error.name === 'BadDigest' || error.name.includes('Checksum')) return 'damaged';
  if (status === 404) return 'missing';
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
