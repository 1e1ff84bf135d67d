import { describe, expect, it } from 'vitest';
import { html } from '../../web/html.ts';
import { livePage } from '../../web/server/live-page.ts';
import { pagePerTest } from './open-browser.ts';

/** Also a page with what a user may have touched, in a part that changes. */
const opened = pagePerTest({
  addTo: (app, context) =>
    livePage(app, context, '/c/:campaign/folded', async ({ campaign }) => {
      const { news } = await context.models(campaign);
      const lines = Array.from({ length: 100 }, (_, line) => html`<p>line ${line}</p>`);
      const markup = html`<h1>Folded</h1>
        <details id="fold">
          <summary>more</summary>
          <p id="said">${news}</p>
          ${lines}<input id="field" aria-label="field" />
        </details>`;
      return { title: 'Folded', nav: 'campaign', parts: [{ id: 'folded', markup }] };
    }),
});

const OUTAGE = {
  what: 'worker' as const,
  since: '2026-11-25T15:07:02.000Z',
  why: 'evo doctor shows what is wrong',
};

/** The text of a part, once it has it. */
const seen = (selector: string, text: string) =>
  opened().page.locator(selector, { hasText: text }).first().waitFor({ timeout: 20_000 });

describe('an open page', () => {
  it('shows what changed within two seconds, announces it, and keeps focus, scroll and folds', async () => {
    const { page, context, goto } = opened();
    await goto('/c/demo/folded');
    await page.locator('summary').click();
    await page.locator('#field').fill('typed');
    await page.evaluate(() => scrollTo(0, 700));
    const began = Date.now();
    context.change({ outages: [OUTAGE], news: 'g0002 promote' });
    await seen('#notices', 'The worker does not answer');
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(await page.locator('#news').textContent()).toBe('g0002 promote');
    await seen('#said', 'g0002 promote');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('field');
    expect(await page.locator('#field').inputValue()).toBe('typed');
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(600);
    context.change({ outages: [] });
    await page.locator('#notices .outage').waitFor({ state: 'detached' });
    expect(await page.locator('#fold').getAttribute('open')).toBe('');
    expect(await page.locator('#field').inputValue()).toBe('typed');
    expect(opened().faults).toEqual([]);
  });

  it('closes its stream while it is hidden or left', async () => {
    const { page, context, goto } = opened();
    await goto('/c/demo');
    await expect.poll(() => context.viewers).toBe(1);
    await page.goto(`${opened().address}/c/demo/ledger`);
    await seen('h1', 'Ledger of demo');
    expect(context.viewers).toBeGreaterThan(0);
  });

  it('says that the server of the page is gone, and is whole again when it is back', async () => {
    const { page, context, goto, stop, start } = opened();
    await goto('/c/demo');
    await stop();
    await seen('#gone', 'does not answer');
    context.change({ outages: [OUTAGE] });
    await start();
    await seen('#notices', 'The worker does not answer');
    await page.locator('#gone').waitFor({ state: 'hidden' });
  });

  it('shows a damaged entry above, and the rest of the page', async () => {
    const { page, context, goto } = opened();
    const why = 'ledger/demo/00000003.json is damaged: copy it from a backup';
    context.change({ damages: [{ what: 'ledger', generation: null, why }] });
    await goto('/c/demo');
    await seen('#notices .damage', '00000003.json is damaged');
    expect(await page.locator('h1').count()).toBe(1);
  });
});

describe('hostile text', () => {
  const hostile = [
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(2)>',
    '<svg onload=alert(3)><a href="javascript:alert(4)">x</a>',
    '\u001B[31mred\u001B]0;title\u0007',
    'a\u202Eb\u2066c',
    `${'long '.repeat(1_000_000)}end`,
  ];

  it('is shown as text, runs nothing and asks nothing of anybody', async () => {
    const { page, context, goto } = opened();
    const damages = hostile.map((why) => ({ what: 'ledger' as const, generation: null, why }));
    context.change({ damages: damages.slice(0, 5) });
    await goto('/c/demo');
    await seen('#notices', 'alert(1)');
    context.change({ damages: damages.slice(3), news: hostile.slice(0, 5).join('') });
    await seen('#notices', 'long long');
    const text = (await page.locator('body').textContent()) ?? '';
    expect(text).not.toMatch(/[\u001B\u0007\u202A-\u202E\u2066-\u2069]/);
    expect(await page.locator('img, main svg a, main script').count()).toBe(0);
    expect(opened().faults).toEqual([]);
  });

  it('cannot run even where it became markup, because the policy refuses it', async () => {
    const { page, goto } = opened();
    await goto('/c/demo');
    const refused = await page.evaluate(() => {
      try {
        document.body.innerHTML = '<img src=x onerror=alert(1)>';
        return false;
      } catch {
        return true;
      }
    });
    expect(refused).toBe(true);
  });
});
