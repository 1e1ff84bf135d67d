// Checks of `evo doctor` that apply only to an S3 server.
import { ListObjectsV2Command, PutObjectCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { createHash } from 'node:crypto';
import { s3Error } from './s3-error.ts';
import type { S3Medium } from './s3-medium.ts';

/** Read by the SDK from the date of an answer, to the second. */
export async function clockOffsetMs({ location, url }: S3Medium): Promise<number> {
  const { client, bucket, prefix } = location;
  try {
    await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }));
  } catch (error) {
    throw s3Error(error, url);
  }
  return client.config.systemClockOffset;
}

export async function refusesWrongChecksum(medium: S3Medium, key: string): Promise<boolean> {
  const { client, bucket, prefix } = medium.location;
  const ChecksumSHA256 = createHash('sha256').update('other bytes').digest('base64');
  const put = new PutObjectCommand({
    Bucket: bucket,
    Key: prefix + key,
    Body: Buffer.from('these bytes'),
    ChecksumSHA256,
    IfNoneMatch: '*',
  });
  try {
    await client.send(put);
    return false;
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 400) return true;
    throw s3Error(error, `${medium.url}, ${key}`);
  }
}
