import { describe, expect, test } from 'vitest';
import {
  clientVariables,
  trainerVariables,
  wrapperVariables,
} from '../../../infra/jobs/wrapper-environment.ts';

const AWS_KEYS = {
  AWS_ACCESS_KEY_ID: 'secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'secret',
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'secret',
};
const NEVER = {
  EVO_GATE_SECRET: 'secret',
  EVO_SEALED_AWS_SECRET_ACCESS_KEY: 'secret',
  TEMPORAL_API_KEY: 'secret',
  TEMPORAL_TLS_CLIENT_KEY_DATA: 'secret',
  TEMPORAL_GRPC_META_AUTHORIZATION: 'secret',
  HF_TOKEN: 'secret',
  LLM_API_KEY: 'secret',
  DB_PASSWORD: 'secret',
  PGPASSWD: 'secret',
  SSH_PRIVATE_KEY: 'secret',
  KEY_PASSPHRASE: 'secret',
  GITHUB_PAT: 'secret',
  DATABASE_URL: 'postgres://ada:secret@db/evo',
};
const BY_PROXY = { https_proxy: 'http://ada:secret@proxy:8080' };
const EVERYWHERE = { PATH: '/bin', HOME: '/home/ada', NO_PROXY: 'http://plain:80' };
const AGENT = { SSH_AUTH_SOCK: '/tmp/agent' };
const PROFILE = { AWS_PROFILE: 'evo', AWS_REGION: 'eu-west-1' };
const ALL = {
  ...AWS_KEYS,
  ...NEVER,
  ...BY_PROXY,
  ...EVERYWHERE,
  ...AGENT,
  ...PROFILE,
  NODE_OPTIONS: '-r x',
};

const onDisk = { url: 'file:///store' };
const withKeys = { url: 's3://a/b', s3: { accessKeyId: 'id', secretAccessKey: 'key' } };
const withoutKeys = { url: 's3://a/b', s3: { region: 'eu-west-1' } };

describe('the environment', () => {
  test('of a trainer has no secret, no settings of AWS and no agent', () => {
    expect(trainerVariables(ALL)).toEqual(EVERYWHERE);
  });

  test('of ssh and of programs of the user has agents and profiles, and no secret', () => {
    expect(clientVariables(ALL)).toEqual({ ...EVERYWHERE, ...AGENT, ...PROFILE });
  });

  test.each([
    ['none if its stores are on disk', [onDisk, onDisk], {}],
    ['none if its orders contain them', [withKeys, withKeys], BY_PROXY],
    ["the machine's if its orders contain none", [withoutKeys], { ...AWS_KEYS, ...BY_PROXY }],
    ["the machine's if one store lacks them", [onDisk, withoutKeys], { ...AWS_KEYS, ...BY_PROXY }],
  ])('of a wrapper has, of keys for AWS and of proxies with a password, %s', (_, stores, keys) => {
    expect(wrapperVariables(ALL, stores)).toEqual({ ...EVERYWHERE, ...PROFILE, ...keys });
  });
});
