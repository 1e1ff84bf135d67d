// The S3 server of this machine: where it listens and with which keys, made once and kept out of every store.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { S3Access } from '../config.ts';
import type { StatePaths } from '../paths.ts';
import { readSupervisorState } from './supervisor-state.ts';

export const LOCAL_BUCKETS = ['evotrainer', 'evotrainer-sealed'] as const;

const keysSchema = z.object({ accessKeyId: z.string(), secretAccessKey: z.string() });
export type S3Keys = z.infer<typeof keysSchema>;

const keysFile = (paths: StatePaths): string => join(paths.secrets, 's3.json');

/** The keys of this machine's S3 server; makes them at the first call. */
export function localS3Keys(paths: StatePaths): S3Keys {
  const known = readKeys(paths);
  if (known) return known;
  mkdirSync(paths.secrets, { recursive: true, mode: 0o700 });
  const keys = {
    accessKeyId: `evo${randomBytes(8).toString('hex')}`,
    secretAccessKey: randomBytes(24).toString('hex'),
  };
  writeFileSync(keysFile(paths), JSON.stringify(keys), { mode: 0o600 });
  return keys;
}

/** How to reach it; null where none was brought up. */
export function localS3Access(paths: StatePaths): S3Access | null {
  const port = readSupervisorState(paths)?.ports.s3;
  const keys = readKeys(paths);
  if (port == null || !keys) return null;
  const access = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', ...keys };
  return { open: access, sealed: access };
}

function readKeys(paths: StatePaths): S3Keys | null {
  try {
    return keysSchema.parse(JSON.parse(readFileSync(keysFile(paths), 'utf8')));
  } catch {
    return null;
  }
}
