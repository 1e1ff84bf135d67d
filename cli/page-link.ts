// A one-time link to a page that is served on this machine.
import { join } from 'node:path';
import type { StatePaths } from '../workers/paths.ts';
import { makeLink } from '../web/server/links.ts';

interface Linked {
  readonly port: number;
  readonly host?: string;
  readonly campaign: string | null;
}

export function pageLink(
  paths: StatePaths,
  { port, host = '127.0.0.1', campaign }: Linked,
): string {
  const code = makeLink(join(paths.pages, 'links'));
  const to = campaign === null ? '/' : `/c/${campaign}`;
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}/enter?code=${code}&to=${to}`;
}
