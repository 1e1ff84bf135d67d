// An S3 server in memory with one fault that real servers had. Current servers do not have it, and a server that does
// would show it only occasionally. It accepts every signature.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Carelessness =
  | 'ignores the condition'
  /** Looks whether the key exists, takes the bytes, and only then writes. */
  | 'looks too early'
  /** Keeps the first writer's bytes, but reports success to all other writers, too. */
  | 'flatters losers'
  | 'ignores ranges'
  | 'ignores checksums'
  | 'none';

export interface CarelessS3 {
  readonly endpoint: string;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly body?: Buffer | string;
  readonly headers?: Record<string, string>;
}

export async function carelessS3(fault: Carelessness): Promise<CarelessS3> {
  const objects = new Map<string, Buffer>();
  const parts = new Map<string, Map<number, Buffer>>();

  const put = async (key: string, request: IncomingMessage): Promise<Answer> => {
    const conditional =
      request.headers['if-none-match'] === '*' && fault !== 'ignores the condition';
    const early = objects.has(key);
    const bytes = await bytesOf(request);
    const existed = fault === 'looks too early' ? early : objects.has(key);
    if (conditional && existed) {
      return fault === 'flatters losers' ? { status: 200 } : error(412, 'PreconditionFailed');
    }
    const sha256 = request.headers['x-amz-checksum-sha256'];
    if (sha256 !== undefined && fault !== 'ignores checksums') return error(400, 'BadDigest');
    objects.set(key, bytes);
    return { status: 200 };
  };
  const get = (key: string, range: string | undefined): Answer => {
    const bytes = objects.get(key);
    if (bytes === undefined) return error(404, 'NoSuchKey');
    const asked = /^bytes=(\d+)-(\d+)$/.exec(range ?? '');
    if (!asked || fault === 'ignores ranges') return { status: 200, body: bytes };
    return { status: 206, body: bytes.subarray(Number(asked[1]), Number(asked[2]) + 1) };
  };
  const complete = (key: string, upload: string): Answer => {
    if (objects.has(key)) return error(412, 'PreconditionFailed');
    const sorted = [...(parts.get(upload) ?? [])].toSorted(([one], [other]) => one - other);
    objects.set(key, Buffer.concat(sorted.map(([, bytes]) => bytes)));
    return { status: 200, body: '<CompleteMultipartUploadResult/>' };
  };
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://careless');
    const key = decodeURIComponent(pathname);
    const upload = searchParams.get('uploadId');
    if (request.method === 'POST' && upload === null) {
      const id = randomUUID();
      parts.set(id, new Map());
      const body = `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
      return { status: 200, body };
    }
    if (request.method === 'POST') return complete(key, upload ?? '');
    if (request.method === 'PUT' && upload !== null) {
      const number = Number(searchParams.get('partNumber'));
      parts.get(upload)?.set(number, await bytesOf(request));
      return { status: 200, headers: { etag: `"${number}"` } };
    }
    if (request.method === 'PUT') return put(key, request);
    if (searchParams.has('list-type')) {
      return {
        status: 200,
        body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
      };
    }
    return get(key, request.headers.range);
  };
  const server = createServer((request, response) => {
    void answer(request).then((reply) => send(response, reply));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const error = (status: number, code: string): Answer => ({
  status,
  body: `<Error><Code>${code}</Code><Message>no</Message></Error>`,
});

function send(response: ServerResponse, { status, body = '', headers = {} }: Answer): void {
  response.writeHead(status, {
    etag: '"x"',
    ...headers,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  // A writer's bytes arrive late, so that the others have checked by then.
  await new Promise((done) => setTimeout(done, 20));
  return bytes;
}
