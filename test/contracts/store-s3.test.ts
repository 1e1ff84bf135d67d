import { PutObjectCommand } from '@aws-sdk/client-s3';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startS3Server } from '../../infra/s3/server.ts';
import type { S3Server } from '../../infra/s3/server.ts';
import { objectKey } from '../../infra/store/archive.ts';
import { openStore } from '../../infra/store/open-store.ts';
import { s3Client } from '../../infra/store/s3/s3-client.ts';
import type { S3Options } from '../../infra/store/s3/s3-options.ts';
import { findTool } from '../../infra/tools.ts';
import { freePort } from './free-port.ts';
import { storeContract } from './store.contract.ts';

const missing = findTool('versitygw') ? '' : ' (not run: versitygw is missing, run evo setup --s3)';

describe.skipIf(missing)(`a real S3 server${missing}`, () => {
  let server: S3Server;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'evo-s3-'));
    const port = await freePort();
    const keys = { accessKeyId: 'evo-test', secretAccessKey: 'evo-test-secret' };
    server = await startS3Server({ directory, port, ...keys }, ['evo-open', 'evo-sealed']);
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true });
  });

  storeContract('a bucket', async () => {
    const client = s3Client(server.access);
    const options = { s3: server.access };
    return {
      store: openStore('s3://evo-open/contract', 'open', options),
      other: openStore('s3://evo-open/contract/', 'open', options),
      async damage(ref, bytes) {
        const Key = `contract/${objectKey(ref.sha256)}`;
        await client.send(new PutObjectCommand({ Bucket: 'evo-open', Key, Body: bytes }));
      },
      async close() {
        client.destroy();
      },
    };
  });

  test('an answer lost on the way counts as created when our content is there', async () => {
    const proxy = await answerDropper(server.access);
    try {
      const store = openStore('s3://evo-open/lost', 'open', {
        s3: { ...server.access, endpoint: proxy.endpoint },
      });
      proxy.dropNext('PUT');
      expect(await store.createManifest('one.json', { writer: 1 })).toEqual({ status: 'created' });
      proxy.dropNext('PUT');
      expect(await store.createManifest('one.json', { writer: 2 })).toEqual({
        status: 'exists',
        content: { writer: 1 },
      });
      proxy.dropNext('PUT');
      const ref = await store.putBytes(Buffer.from('object'));
      expect(await store.has(ref)).toBe(true);
    } finally {
      await proxy.close();
    }
  });

  test('keys beyond a page of the server are all listed', async () => {
    const store = openStore('s3://evo-open/pages', 'open', { s3: server.access });
    const keys = Array.from({ length: 1005 }, (_, index) => `many/${index}.json`);
    for (let start = 0; start < keys.length; start += 67) {
      const some = keys.slice(start, start + 67);
      await Promise.all(some.map((key) => store.createManifest(key, {})));
    }
    expect(await store.listManifests('many/')).toEqual(keys.toSorted());
  });

  test('wrong credentials are denied, a missing bucket is invalid, a dead server is unreachable', async () => {
    const tryOn = (bucket: string, s3: S3Options): Promise<unknown> =>
      openStore(`s3://${bucket}`, 'open', { s3 }).putBytes(Buffer.from('x'));
    const wrong = { ...server.access, secretAccessKey: 'wrong' };
    await expect(tryOn('evo-open', wrong)).rejects.toMatchObject({ kind: 'denied' });
    await expect(tryOn('evo-none', server.access)).rejects.toMatchObject({ kind: 'invalid' });
    const dead = { ...server.access, endpoint: `http://127.0.0.1:${await freePort()}` };
    await expect(tryOn('evo-open', dead)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('a server that never answers is unreachable after the time allowed', async () => {
    const mute = createTcpServer(() => {});
    await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done));
    const endpoint = `http://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const s3 = { ...server.access, endpoint, requestTimeoutMs: 200 };
    const store = openStore('s3://evo-open', 'open', { s3 });
    await expect(store.readManifest('x')).rejects.toMatchObject({ kind: 'unreachable' });
    mute.close();
  });
});

/** A proxy that, when told, lets a request reach the server and cuts the connection instead of answering. */
async function answerDropper(access: S3Options) {
  let drop: string | undefined;
  const target = new URL(access.endpoint ?? '');
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' &&
      !['connection', 'transfer-encoding', 'host', 'expect', 'content-length'].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    );
    const answer = await relay(target, request, headers, Buffer.concat(chunks));
    if (drop === request.method) {
      drop = undefined;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  };
  const proxy = createServer((request, response) => void forward(request, response));
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    dropNext(method: string) {
      drop = method;
    },
    close: async () => {
      proxy.closeAllConnections();
      await new Promise((done) => proxy.close(done));
    },
  };
}

/** By node:http, because fetch will not send the Host header that the signature covers. */
async function relay(
  target: URL,
  request: IncomingMessage,
  headers: [string, string][],
  body: Buffer,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const { request: send } = await import('node:http');
  return new Promise((done, fail) => {
    const onward = send(
      {
        host: target.hostname,
        port: target.port,
        method: request.method,
        path: request.url,
        headers: {
          ...Object.fromEntries(headers),
          host: request.headers.host ?? '',
          'content-length': String(body.length),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const kept = Object.entries(answer.headers).flatMap(([name, value]) =>
            typeof value === 'string' && name !== 'transfer-encoding' && name !== 'connection'
              ? [[name, value] as [string, string]]
              : [],
          );
          done({
            status: answer.statusCode ?? 500,
            headers: Object.fromEntries(kept),
            body: Buffer.concat(chunks),
          });
        });
        answer.on('error', fail);
      },
    );
    onward.on('error', fail);
    onward.end(body);
  });
}
