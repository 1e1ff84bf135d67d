// The SDK's client as we want it: no retries of its own, and no request that waits for ever.
import { S3Client } from '@aws-sdk/client-s3';
import type { S3Options } from './s3-options.ts';

const REQUEST_TIMEOUT_MS = 60_000;
const CONNECTION_TIMEOUT_MS = 5_000;

export function s3Client(options: S3Options): S3Client {
  const { accessKeyId, secretAccessKey, sessionToken, endpoint } = options;
  return new S3Client({
    region: options.region ?? 'us-east-1',
    // A retry after a lost answer reports our own object as somebody else's; who calls us decides about retries.
    maxAttempts: 1,
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
  });
}
