// A client of MCP over stdio: a process that it starts, requests by number, one line each.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

interface Response {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

export class McpClient {
  readonly #server: ChildProcessWithoutNullStreams;
  readonly #open = new Map<number, (response: Response) => void>();
  /** With its exit code; awaited from the start, because each wait adds listeners. */
  readonly #ended: Promise<unknown[]>;
  #requests = 0;
  #errors = '';

  private constructor(server: ChildProcessWithoutNullStreams) {
    this.#server = server;
    this.#ended = once(server, 'close');
    server.stderr.on('data', (chunk) => (this.#errors += String(chunk)));
    createInterface({ input: server.stdout }).on('line', (line) => {
      const response: Response = JSON.parse(line);
      this.#open.get(response.id)?.(response);
      this.#open.delete(response.id);
    });
  }

  static async connect(server: ChildProcessWithoutNullStreams): Promise<McpClient> {
    const client = new McpClient(server);
    const clientInfo = { name: 'e2e', version: '1' };
    const protocolVersion = '2025-11-25';
    await client.request('initialize', { protocolVersion, capabilities: {}, clientInfo });
    client.#send({ method: 'notifications/initialized' });
    return client;
  }

  async request(method: string, params: object = {}): Promise<unknown> {
    this.#requests += 1;
    const id = this.#requests;
    const answered = new Promise<Response>((resolve) => {
      this.#open.set(id, resolve);
    });
    this.#send({ id, method, params });
    const ended = this.#ended.then(() => ({
      error: { message: `evo mcp ended: ${this.#errors}` },
    }));
    const { result, error }: Partial<Response> = await Promise.race([answered, ended]);
    if (error !== undefined) throw new Error(error.message);
    return result;
  }

  async call(name: string, given: object = {}): Promise<string> {
    const result = (await this.request('tools/call', { name, arguments: given })) as {
      readonly content: readonly [{ readonly text: string }];
    };
    return result.content[0].text;
  }

  async tools(): Promise<string[]> {
    const { tools } = (await this.request('tools/list')) as {
      readonly tools: readonly { readonly name: string }[];
    };
    return tools.map(({ name }) => name);
  }

  async kill(): Promise<void> {
    this.#server.kill('SIGKILL');
    await this.#ended;
  }

  /** As a client leaves: its end of the pipe closes. */
  async close(): Promise<number | null> {
    this.#server.stdin.end();
    const [code] = await this.#ended;
    return typeof code === 'number' ? code : null;
  }

  #send(message: object): void {
    this.#server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
