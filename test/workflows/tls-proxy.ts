// TLS in front of a server that has none, for clients with a certificate of its authority; as a site's own Temporal has.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { HOST } from '../../infra/process/port-holder.ts';

/** Differs from the address, as behind a load balancer. */
const SERVER_NAME = 'temporal.test';

export interface TlsProxy {
  readonly address: string;
  /** What a client sets, by Temporal's names. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** `folder` gets the keys. */
export async function startTlsProxy(target: string, folder: string): Promise<TlsProxy> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = (name: string): string => join(folder, name);
  const make = (name: string, ...more: string[]): void => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc'];
    const out = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    const words = ['req', '-x509', '-subj', `/CN=${name}`, '-days', '2', ...key, ...out, ...more];
    execFileSync('openssl', words, { stdio: 'pipe' });
  };
  const authority = ['-CA', file('authority.pem'), '-CAkey', file('authority.key')];
  const signed = [...authority, '-addext', 'basicConstraints=critical,CA:FALSE'];
  make('authority');
  make('server', ...signed, '-addext', `subjectAltName=DNS:${SERVER_NAME}`);
  make('client', ...signed);
  const [host = HOST, port = ''] = target.split(':');
  const server = createServer(
    {
      key: readFileSync(file('server.key')),
      cert: readFileSync(file('server.pem')),
      ca: readFileSync(file('authority.pem')),
      requestCert: true,
      ALPNProtocols: ['h2'],
    },
    (client) => {
      const upstream = connect(Number(port), host);
      client.pipe(upstream).pipe(client);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    },
  );
  server.listen(0, HOST);
  await once(server, 'listening');
  const listening = server.address();
  const address = `${HOST}:${typeof listening === 'object' ? listening?.port : ''}`;
  return {
    address,
    variables: {
      TEMPORAL_ADDRESS: address,
      TEMPORAL_TLS_SERVER_NAME: SERVER_NAME,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('authority.pem'),
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('client.pem'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('client.key'),
    },
    close: async () => {
      server.close();
    },
  };
}
