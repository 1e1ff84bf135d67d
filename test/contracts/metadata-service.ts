// The part of EC2's instance metadata service that a wrapper uses: tokens (IMDSv2) and the notice of a Spot machine's
// end.
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class MetadataService {
  /** The requested paths, in order, without tokens. */
  readonly asked: string[] = [];
  notice: { readonly action: string; readonly time: string } | null = null;
  #tokens = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const { url = '', method = '', headers } = request;
      this.asked.push(`${method} ${url}`);
      if (url === '/latest/api/token') {
        const isAsked = method === 'PUT' && 'x-aws-ec2-metadata-token-ttl-seconds' in headers;
        if (isAsked) response.end(`token-${++this.#tokens}`);
        else response.writeHead(400).end();
      } else if (headers['x-aws-ec2-metadata-token'] !== `token-${this.#tokens}`) {
        response.writeHead(401).end();
      } else if (url === '/latest/meta-data/spot/instance-action' && this.notice !== null) {
        response.end(JSON.stringify(this.notice));
      } else response.writeHead(404).end();
    });
  }

  static async start(): Promise<MetadataService> {
    const service = new MetadataService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get variables(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return { AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}/` };
  }

  /** Invalidates all issued tokens. */
  expireTokens(): void {
    this.#tokens += 1;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
