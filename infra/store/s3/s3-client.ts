// Configures the SDK's client: every request has a timeout, and only requests that cannot change a result are retried.
import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { S3Location } from './s3-medium.ts';
import type { S3Options } from './s3-options.ts';
import { askAgainWhenRenewed } from './renewal.ts';

const REQUEST_TIMEOUT_MS = 60_000;
const CONNECTION_TIMEOUT_MS = 5_000;
/** A repeated part replaces itself, and one failed part must not cost the thousand before it. */
const PART_ATTEMPTS_MAX = 4;

/** For every request that may commit: a retry after a lost answer would report our own object as another writer's. */
export const s3Client = (options: S3Options): S3Client => clientWith(options, 1);

/** A prefix of a bucket, with its own clients. */
export const s3Location = (options: S3Options, bucket: string, prefix: string): S3Location => ({
  client: s3Client(options),
  partsClient: clientWith(options, PART_ATTEMPTS_MAX),
  bucket,
  prefix,
});

function clientWith(options: S3Options, maxAttempts: number): S3Client {
  const { endpoint, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const checksums = options.checksums === 'when_required' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED';
  const client = new S3Client({
    region: options.region ?? 'us-east-1',
    maxAttempts,
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: options.pathStyle ?? endpoint !== undefined,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    credentials: credentials(options),
    requestHandler: {
      connectionTimeout: options.connectionTimeoutMs ?? CONNECTION_TIMEOUT_MS,
      requestTimeout: requestTimeoutMs,
      // The request timeout ends with the head of the answer; a body may stop arriving after that.
      socketTimeout: requestTimeoutMs + 1_000,
      throwOnRequestTimeout: true,
    },
  });
  askAgainWhenRenewed(client, maxAttempts > 1);
  return client;
}

/** Given keys are used as they are. A profile or role renews its own, so its files are read each time. */
function credentials(options: S3Options): NonNullable<S3ClientConfig['credentials']> {
  const { accessKeyId, secretAccessKey, sessionToken, profile } = options;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return defaultProvider({ ignoreCache: true, ...(profile === undefined ? {} : { profile }) });
  }
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}
