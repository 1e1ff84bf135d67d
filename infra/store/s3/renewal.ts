// Sends a request once more after new credentials or a corrected clock: the refused request has changed nothing.
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

type Credentials = Awaited<ReturnType<S3Client['config']['credentials']>>;

/** Decided by the status, because the refusal of a HEAD has no error code; an expired token is a 400. */
const refused = (error: unknown): error is S3ServiceException =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 403 ||
    error.$metadata.httpStatusCode === 401 ||
    error.name === 'ExpiredToken');

/** A server that refuses a request may close the connection before it has read the body; its refusal is then lost. */
const hungUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/** `repeatable`: its requests may be sent twice, so one whose connection was cut is also repeated with new keys. */
export function askAgainWhenRenewed(client: S3Client, repeatable: boolean): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      const before = await client.config.credentials().catch(() => null);
      try {
        return await next(args);
      } catch (error) {
        if (!refused(error) && !(repeatable && hungUp(error))) throw error;
        const isCorrected = refused(error) && clockWasCorrected(error);
        if (!isCorrected && !(await renewed(client, before))) throw error;
        return await next(args);
      }
    },
    { step: 'initialize', priority: 'low', name: 'askAgainWhenRenewed' },
  );
}

/** The SDK has read the server's clock from the answer, and signs the next request with it. */
const clockWasCorrected = (error: S3ServiceException): boolean =>
  'clockSkewCorrected' in error.$metadata && error.$metadata.clockSkewCorrected === true;

/** Asks the source of the credentials again; true if it has other ones now. */
async function renewed(client: S3Client, before: Credentials | null): Promise<boolean> {
  const now = await client.config.credentials({ forceRefresh: true }).catch(() => null);
  return (
    now !== null &&
    (now.accessKeyId !== before?.accessKeyId ||
      now.secretAccessKey !== before.secretAccessKey ||
      now.sessionToken !== before.sessionToken)
  );
}
