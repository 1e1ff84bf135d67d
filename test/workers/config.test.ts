import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../workers/config.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'open', AWS_SECRET_ACCESS_KEY: 'open-secret' };

describe('how S3 stores are reached', () => {
  test('is the same for both roots where nothing is said of the sealed one', () => {
    const { s3 } = readEnvironment({
      ...KEYS,
      AWS_ENDPOINT_URL_S3: 'http://store',
      EVO_S3_PATH_STYLE: '0',
      AWS_REQUEST_CHECKSUM_CALCULATION: 'WHEN_REQUIRED',
      EVO_S3_REQUEST_TIMEOUT_MS: '5000',
    });
    expect(s3.sealed).toEqual(s3.open);
    expect(JSON.parse(JSON.stringify(s3.open))).toEqual({
      endpoint: 'http://store',
      region: 'us-east-1',
      accessKeyId: 'open',
      secretAccessKey: 'open-secret',
      pathStyle: false,
      checksums: 'when_required',
      requestTimeoutMs: 5000,
    });
  });

  test('may differ for the sealed root in server, region and credentials', () => {
    const { s3 } = readEnvironment({
      ...KEYS,
      AWS_REGION: 'eu-central-1',
      EVO_SEALED_AWS_ENDPOINT_URL_S3: 'http://sealed',
      EVO_SEALED_AWS_REGION: 'us-west-2',
      EVO_SEALED_AWS_PROFILE: 'evaluator',
    });
    expect(s3.open).toMatchObject({ region: 'eu-central-1', accessKeyId: 'open' });
    expect(s3.open.endpoint).toBeUndefined();
    expect(s3.sealed).toMatchObject({
      endpoint: 'http://sealed',
      region: 'us-west-2',
      profile: 'evaluator',
    });
    expect(s3.sealed.accessKeyId).toBeUndefined();
  });

  test.each([
    [{ AWS_ACCESS_KEY_ID: 'x' }, 'set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
    [{ EVO_S3_PATH_STYLE: 'yes' }, "EVO_S3_PATH_STYLE must be 1 or 0, not 'yes'"],
    [{ EVO_S3_CONNECTION_TIMEOUT_MS: '0' }, "must be a number of milliseconds above 0, not '0'"],
    [
      { AWS_REQUEST_CHECKSUM_CALCULATION: 'never' },
      "must be when_required or when_supported, not 'never'",
    ],
  ])('is refused with the variable and the cure where it makes no sense: %j', (wrong, told) => {
    expect(() => readEnvironment(wrong)).toThrow(told);
  });
});
