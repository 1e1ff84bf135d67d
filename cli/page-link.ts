// A one-time link to a page that is served on this machine.
import type { StatePaths } from '../workers/paths.ts';
import { linksFolder, makeLink } from '../web/server/links.ts';

interface Linked {
  readonly port: number;
  readonly host?: string;
  readonly campaign: string | null;
}

/** An address of IPv6 has brackets there. */
export const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

export function pageLink(
  paths: StatePaths,
  { port, host = '127.0.0.1', campaign }: Linked,
): string {
  const code = makeLink(linksFolder(paths.pages, port));
  const to = campaign === null ? '/' : `/c/${campaign}`;
  return `http://${hostInUrl(host)}:${port}/enter?code=${code}&to=${to}`;
}
