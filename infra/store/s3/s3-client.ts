// The SDK's client as we want it: no request that waits for ever, and no retries but those that cannot change a result.
import { S3Client } from '@aws-sdk/client-s3';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { S3Location } from './s3-medium.ts';
import type { S3Options } from './s3-options.ts';
import { askAgainWhenRenewed } from './renewal.ts';

const REQUEST_TIMEOUT_MS = 60_000;
const CONNECTION_TIMEOUT_MS = 5_000;
/** A part that is sent again replaces itself; one that fails must not cost the thousand before it. */
const PART_ATTEMPTS_MAX = 4;

/** For everything that may commit: a retry after a lost answer would report our own object as somebody else's. */
export const s3Client = (options: S3Options): S3Client => clientWith(options, 1);

/** A prefix of a bucket, with clients of its own. */
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
      // The request's time ends with the head of the answer; a body may fall silent after it.
      socketTimeout: requestTimeoutMs + 1_000,
      throwOnRequestTimeout: true,
    },
  });
  askAgainWhenRenewed(client, maxAttempts > 1);
  return client;
}

/** Given keys stay as they are; a profile or a role renews its own, and its files are read anew each time. */
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
