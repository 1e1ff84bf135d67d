// TODO
import type { Connected } from './connect.ts';
export async function writeReports(
  _c: Connected,
  _n: string,
): Promise<{ html: string; markdown: string; store: string } | null> {
  return null;
}
