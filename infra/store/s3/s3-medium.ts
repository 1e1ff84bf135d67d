// A root below a bucket's prefix: `If-None-Match: *` makes a put create-only, in one piece or in parts.
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../../activities/ports/store-error.ts';
import { byCodeUnit } from '../medium.ts';
import type { Body, Medium } from '../medium.ts';
import { s3Error } from './s3-error.ts';

/** One request's payload; larger objects go up in parts of this size. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_AT_ONCE = 4;
/** 409 means that another create of the key was under way and neither counts yet. */
const CONFLICTS_MAX = 5;
const CONFLICT_PAUSE_MS = 50;

export interface S3Place {
  readonly client: S3Client;
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
}

export class S3Medium implements Medium {
  readonly url: string;
  readonly #place: S3Place;

  constructor(place: S3Place) {
    this.#place = place;
    this.url = `s3://${place.bucket}/${place.prefix}`;
  }

  async create(key: string, body: Body): Promise<'created' | 'exists'> {
    for (let conflicts = 0; ; conflicts++) {
      try {
        await this.#put(key, body);
        return 'created';
      } catch (error) {
        const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : 0;
        if (status === 412) return 'exists';
        if (status !== 409 || conflicts >= CONFLICTS_MAX) throw this.#error(error, key);
        await sleep(CONFLICT_PAUSE_MS * (conflicts + 1));
      }
    }
  }

  async open(key: string): Promise<Readable> {
    const { Body: bytes } = await this.#ask(key, () =>
      this.#place.client.send(new GetObjectCommand(this.#at(key))),
    );
    if (!(bytes instanceof Readable)) throw new TypeError('the SDK gave no Node stream');
    const told = (error: Error): unknown => this.#error(error, key);
    return Readable.from(withErrors(bytes, told), { objectMode: false });
  }

  async sizeBytes(key: string): Promise<number | null> {
    try {
      const { client } = this.#place;
      const head = await this.#ask(key, () => client.send(new HeadObjectCommand(this.#at(key))));
      return head.ContentLength ?? 0;
    } catch (error) {
      if (error instanceof StoreError && error.kind === 'missing') return null;
      throw error;
    }
  }

  async list(prefix: string): Promise<string[]> {
    const { client, bucket } = this.#place;
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: this.#place.prefix + prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#ask(prefix, () => client.send(command));
      for (const { Key: name } of page.Contents ?? []) {
        if (name !== undefined) keys.push(name.slice(this.#place.prefix.length));
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys.toSorted(byCodeUnit);
  }

  async #put(key: string, body: Body): Promise<void> {
    const { client } = this.#place;
    const target = { ...this.#at(key), IfNoneMatch: '*' };
    if (body.sizeBytes <= PART_BYTES) {
      const chunks: Buffer[] = [];
      for await (const chunk of body.open()) chunks.push(Buffer.from(chunk));
      await client.send(new PutObjectCommand({ ...target, Body: Buffer.concat(chunks) }));
      return;
    }
    await new Upload({
      client,
      params: { ...target, Body: body.open() },
      partSize: PART_BYTES,
      queueSize: PARTS_AT_ONCE,
    }).done();
  }

  async #ask<Answer>(key: string, send: () => Promise<Answer>): Promise<Answer> {
    try {
      return await send();
    } catch (error) {
      throw this.#error(error, key);
    }
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#place.bucket, Key: this.#place.prefix + key };
  }

  #error(error: unknown, key: string): unknown {
    return s3Error(error, `${this.url}, ${key}`);
  }
}

async function* withErrors(
  bytes: Readable,
  told: (error: Error) => unknown,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of bytes) yield Buffer.from(chunk);
  } catch (error) {
    throw error instanceof Error ? told(error) : error;
  }
}
