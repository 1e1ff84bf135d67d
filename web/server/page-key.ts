// The key that signs sessions. It is made once, so that sessions outlive a restart.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;

export function pageKey(folder: string): Uint8Array {
  const file = join(folder, 'key');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const key = readFileSync(file);
  if (key.length === KEY_BYTES) return key;
  throw new Error(`${file} is not whole: delete it, and the next page makes another`);
}
