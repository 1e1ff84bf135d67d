// Serves the page: on loopback, or for those who know the token.
import { serve } from '@hono/node-server';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hono } from 'hono';

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

/** Rejects with the system's error if the port is taken. */
export function listen(
  makeApp: (port: number) => Hono,
  host: string,
  port: number,
): Promise<Served> {
  return new Promise((resolve, reject) => {
    let app: Hono | null = null;
    const server = serve(
      {
        fetch: (request) => app?.fetch(request) ?? new Response('', { status: 503 }),
        hostname: host,
        port,
        createServer,
      },
      (info: AddressInfo) => {
        app = makeApp(info.port);
        resolve({ port: info.port, close });
      },
    );
    const close = (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done());
        // Streams of changes never end by themselves.
        if ('closeAllConnections' in server) server.closeAllConnections();
      });
    server.once('error', reject);
  });
}
