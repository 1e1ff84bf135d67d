import { describe, expect, it } from 'vitest';
import { html } from '../../../web/html.ts';
import { PageFeed } from '../../../web/server/page-feed.ts';

function played() {
  const texts = { a: 'one', b: 'two' };
  let onChange = (): void => undefined;
  let builds = 0;
  let watchers = 0;
  const feed = new PageFeed({
    build: async () => {
      builds += 1;
      const parts = Object.entries(texts).map(([id, text]) => ({ id, markup: html`${text}` }));
      return { title: 't', nav: 'campaign', parts, news: '' };
    },
    watch: (listener) => {
      watchers += 1;
      onChange = listener;
      return () => (watchers -= 1);
    },
    onIdle: () => undefined,
  });
  const change = (next: Record<string, string>): void => {
    Object.assign(texts, next);
    onChange();
  };
  return { feed, change, builds: () => builds, watchers: () => watchers };
}

const idsOf = (change: { readonly parts: readonly { readonly id: string }[] } | null) =>
  change?.parts.map(({ id }) => id);

describe('a feed', () => {
  it('sends the parts that changed, and nothing while nothing changes', async () => {
    const { feed, change } = played();
    const { version } = await feed.whole();
    const changes = feed.follow(version);
    expect(await changes.next(5)).toBeNull();
    change({ b: 'other' });
    expect(idsOf(await changes.next(1000))).toEqual(['b']);
    change({ b: 'other' });
    expect(await changes.next(20)).toBeNull();
  });

  it('wakes a viewer that waits', async () => {
    const { feed, change } = played();
    const { version } = await feed.whole();
    const waiting = feed.follow(version).next(5000);
    change({ a: 'new' });
    expect(idsOf(await waiting)).toEqual(['a']);
  });

  it('gives one that comes back what it missed, and another start the whole page', async () => {
    const { feed, change } = played();
    const { version } = await feed.whole();
    const first = feed.follow(version);
    change({ a: 'second' });
    const seen = await first.next(1000);
    first.close();
    change({ b: 'third' });
    expect(idsOf(await feed.follow(seen?.version ?? '').next(1000))).toEqual(['b']);
    expect(idsOf(await feed.follow(version).next(1000))).toEqual(['a', 'b']);
    for (const from of [null, 'another-1', 'nonsense']) {
      expect(idsOf(await feed.follow(from).next(1000))).toEqual(['a', 'b']);
    }
  });

  it('renders once a change, however many viewers there are, with one watch', async () => {
    const { feed, change, builds, watchers } = played();
    const { version } = await feed.whole();
    const viewers = Array.from({ length: 50 }, () => feed.follow(version));
    const before = builds();
    const waiting = viewers.map((viewer) => viewer.next(5000));
    change({ a: 'new' });
    expect((await Promise.all(waiting)).every((found) => idsOf(found)?.[0] === 'a')).toBe(true);
    expect([builds() - before, watchers()]).toEqual([1, 1]);
  });
});
