import { describe, expect, it, vi } from 'vitest';
import { html } from '../../../web/html.ts';
import { PageFeed } from '../../../web/server/page-feed.ts';
import { PlayedContext, signedIn } from '../ui-fixture.ts';

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

  it('is rendered again after a rendering that failed', async () => {
    let isBroken = false;
    let onChange = (): void => undefined;
    const feed = new PageFeed({
      build: async () => {
        if (isBroken) throw new Error('no answer');
        return { title: 't', nav: 'campaign', parts: [{ id: 'a', markup: html`one` }], news: '' };
      },
      watch: (listener) => {
        onChange = listener;
        return () => undefined;
      },
      onIdle: () => undefined,
    });
    await feed.whole();
    isBroken = true;
    onChange();
    await expect(feed.whole()).rejects.toThrow('no answer');
    await expect(feed.whole()).rejects.toThrow('no answer');
    isBroken = false;
    expect((await feed.whole()).page.parts).toHaveLength(1);
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

it('watches no longer what a stream of changes could not be made of', async () => {
  const context = new PlayedContext();
  const ask = await signedIn(context, context.app());
  const said = vi.spyOn(console, 'error').mockReturnValue();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    expect(await (await ask('/c/nobody/changes')).text()).toBe('');
    expect(context.viewers).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(context.viewers).toBe(0);
  } finally {
    vi.useRealTimers();
    said.mockRestore();
  }
});
