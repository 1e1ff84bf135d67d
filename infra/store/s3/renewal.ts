// A request that was refused for old credentials or a wrong clock changed nothing, so it is sent once more after the cure.
import { S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';

type Credentials = Awaited<ReturnType<S3Client['config']['credentials']>>;

/** An expired token is 400, a HEAD's refusal has no name: the status is what every refusal has. */
const refused = (error: unknown): error is S3ServiceException =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 403 ||
    error.$metadata.httpStatusCode === 401 ||
    error.name === 'ExpiredToken');

/** A server that refuses a body may hang up before it has read it, and its refusal is lost on the way. */
const hungUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ECONNRESET' || error.code === 'EPIPE');

/** `repeatable`: its requests may be sent twice, so that one that was cut off is sent again too once there are other keys. */
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

/** The SDK has by now learnt the server's clock from its answer; the next request is signed by it. */
const clockWasCorrected = (error: S3ServiceException): boolean =>
  'clockSkewCorrected' in error.$metadata && error.$metadata.clockSkewCorrected === true;

/** Asks the source of the credentials anew; whether it has others now. */
async function renewed(client: S3Client, before: Credentials | null): Promise<boolean> {
  const now = await client.config.credentials({ forceRefresh: true }).catch(() => null);
  return (
    now !== null &&
    (now.accessKeyId !== before?.accessKeyId ||
      now.secretAccessKey !== before.secretAccessKey ||
      now.sessionToken !== before.sessionToken)
  );
}
