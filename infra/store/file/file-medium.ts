// A root in a folder. An object is written to a temporary file and then hard-linked to its name, which only one writer
// can do.
import { randomUUID } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { access, link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { diskError, systemCode } from '../disk-error.ts';
import { byCodeUnit } from '../medium.ts';
import type { Body, ByteRange, Medium } from '../medium.ts';

/** Folder of unfinished files. It is inside the root, because a hard link cannot leave its file system. */
const UNFINISHED = 'unfinished';
/** No write takes this long: an older file belongs to a writer that was killed. */
const UNFINISHED_MS_MAX = 24 * 60 * 60 * 1000;

export class FileMedium implements Medium {
  readonly url: string;
  readonly #root: string;
  #swept = false;

  constructor(root: string) {
    this.#root = root;
    this.url = root;
  }

  async create(key: string, body: Body): Promise<'created' | 'exists'> {
    const path = this.#path(key);
    const temporary = join(this.#root, UNFINISHED, randomUUID());
    try {
      await mkdir(dirname(path), { recursive: true });
      await mkdir(dirname(temporary), { recursive: true });
      await this.#sweep(dirname(temporary));
      await pipeline(body.open(), createWriteStream(temporary, { flags: 'wx', flush: true }));
      return await linkTo(temporary, path);
    } catch (error) {
      throw diskError(error, path);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async open(key: string, range?: ByteRange): Promise<Readable> {
    const path = this.#path(key);
    try {
      await access(path, constants.R_OK);
    } catch (error) {
      throw diskError(error, path);
    }
    return createReadStream(path, range ? { start: range.first, end: range.last } : {});
  }

  async sizeBytes(key: string): Promise<number | null> {
    const path = this.#path(key);
    try {
      return (await stat(path)).size;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw diskError(error, path);
    }
  }

  async list(prefix: string): Promise<string[]> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const path = this.#path(folder);
    try {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(this.#root, '/').length))
        .map((key) => key.replaceAll('\\', '/'))
        .filter((key) => key.startsWith(prefix) && !key.startsWith(`${UNFINISHED}/`))
        .toSorted(byCodeUnit);
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return [];
      throw diskError(error, path);
    }
  }

  /** Once per process: removes the files that killed writers left. */
  async #sweep(folder: string): Promise<void> {
    if (this.#swept) return;
    this.#swept = true;
    for (const name of await readdir(folder)) {
      const path = join(folder, name);
      const written = await stat(path).catch(() => null);
      if (written && Date.now() - written.mtimeMs > UNFINISHED_MS_MAX) {
        await rm(path, { force: true });
      }
    }
  }

  #path(key: string): string {
    return join(this.#root, ...key.split('/'));
  }
}

/** Makes the link durable before it returns, so that a power cut cannot undo a commit. */
async function linkTo(temporary: string, path: string): Promise<'created' | 'exists'> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return 'exists';
    throw error;
  }
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return 'created';
}
