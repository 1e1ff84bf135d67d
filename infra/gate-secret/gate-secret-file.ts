// The gate secret as a file outside both store roots: 64 hex digits that only evaluate jobs read.
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GateSecret } from '../../activities/ports/campaign-ports.ts';

/** 256 random bits cannot be found from their digest. */
export const commitmentTo = (secret: string): string =>
  createHash('sha256').update(`evotrainer gate secret ${secret}`).digest('hex');

export class GateSecretFile implements GateSecret {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async commit(): Promise<string> {
    const secret = (await this.read()) ?? (await this.make());
    if (!/^[0-9a-f]{64}$/.test(secret)) {
      throw new Error(
        `the gate secret [${this.path}] is not 64 hex digits: restore the file; a new one would be another epoch`,
      );
    }
    return commitmentTo(secret);
  }

  private async read(): Promise<string | null> {
    try {
      return (await readFile(this.path, 'utf8')).trim();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  /**
   * Writes a temporary file and links it, so that the secret is never half written and the first of two writers wins.
   */
  private async make(): Promise<string> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const temporary = `${this.path}.${randomBytes(6).toString('hex')}`;
    await writeFile(temporary, `${randomBytes(32).toString('hex')}\n`, {
      mode: 0o600,
      flush: true,
    });
    try {
      await link(temporary, this.path);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    } finally {
      await rm(temporary, { force: true });
    }
    const secret = await this.read();
    if (secret === null)
      throw new Error(`the gate secret [${this.path}] vanished while it was made`);
    return secret;
  }
}
