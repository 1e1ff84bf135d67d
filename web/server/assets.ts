// Scripts and style sheets, as they are. The list is closed: no path of a request becomes a path of a file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono } from 'hono';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const here = (path: string): URL => new URL(path, import.meta.url);

const FILES: Readonly<Record<string, { readonly file: URL; readonly type: string }>> = {
  'report.css': { file: here('../assets/report.css'), type: STYLE },
  'acts.css': { file: here('../assets/acts.css'), type: STYLE },
  'page.css': { file: here('../assets/page.css'), type: STYLE },
  'page.js': { file: here('../browser/page.js'), type: SCRIPT },
  'keys.js': { file: here('../browser/keys.js'), type: SCRIPT },
  'live.js': { file: here('../browser/live.js'), type: SCRIPT },
  'idiomorph.js': { file: new URL(import.meta.resolve('idiomorph')), type: SCRIPT },
};

export function assetRoutes(): Hono {
  const app = new Hono();
  app.get('/assets/:name', (c) => {
    const found = FILES[c.req.param('name')];
    if (!found) return c.notFound();
    const content = readFileSync(found.file);
    const tag = `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;
    c.header('ETag', tag);
    c.header('Cache-Control', 'no-cache');
    if (c.req.header('If-None-Match') === tag) return c.body(null, 304);
    return c.body(content, 200, { 'Content-Type': found.type });
  });
  // A page of plain text cannot declare that it has no icon, so browsers ask for this one.
  app.get('/favicon.ico', (c) => c.body(null, 204));
  return app;
}
