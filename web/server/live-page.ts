// A page that is kept live: one renderer for all that have it open, and a stream of the parts that changed.
import type { Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { renderFrame, renderPart } from '../parts/frame.ts';
import { notices } from '../parts/notices.ts';
import type { Page } from '../parts/part.ts';
import type { UiContext } from './context.ts';
import { PageFeed } from './page-feed.ts';

/** How the page of an address is made, without the notices; called again whenever the campaign changed. */
export type BuildPage = (asked: {
  readonly campaign: string;
  /** Parts of the path, such as `generation` of `/c/:campaign/g/:generation`. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}) => Promise<Page>;

const keepAliveMs = 15_000;

/** Serves `path`, which names `:campaign`, and its changes as server-sent events at `path` + `/changes`. */
export function livePage(app: Hono, context: UiContext, path: string, build: BuildPage): void {
  const feeds = new Map<string, PageFeed>();
  const feedOf = (c: Context): PageFeed => {
    const url = new URL(c.req.url);
    url.searchParams.delete('from');
    const key = url.pathname.replace(/\/changes$/, '') + url.search;
    const known = feeds.get(key);
    if (known) return known;
    const params: Record<string, string> = c.req.param();
    const campaign = params['campaign'] ?? '';
    const feed = new PageFeed({
      build: async () => {
        const page = await build({ campaign, params, query: url.searchParams });
        const models = await context.models(campaign);
        return { ...page, parts: [notices(models), ...page.parts], news: models.news };
      },
      watch: (onChange) => context.watch(campaign, onChange),
      onIdle: () => feeds.delete(key),
    });
    feeds.set(key, feed);
    return feed;
  };
  app.get(path, async (c) => {
    const { page, version } = await feedOf(c).whole();
    const url = new URL(c.req.url);
    const live = { address: `${url.pathname}/changes${url.search}`, from: version };
    return c.html(
      renderFrame(page, { campaign: c.req.param('campaign') ?? null, live }).toString(),
    );
  });
  app.get(`${path}/changes`, (c) => {
    const feed = feedOf(c);
    const from = c.req.header('Last-Event-ID') ?? c.req.query('from') ?? null;
    return streamSSE(c, async (stream) => {
      const changes = feed.follow(from);
      stream.onAbort(() => changes.close());
      while (!stream.aborted) {
        const change = await changes.next(keepAliveMs);
        if (change === null) await stream.write(': still here\n\n');
        else {
          const { version, parts, order, news } = change;
          const data = JSON.stringify({
            order,
            news,
            parts: parts.map((part) => [part.id, renderPart(part).toString()]),
          });
          await stream.writeSSE({ id: version, event: 'parts', data });
        }
      }
    });
  });
}
