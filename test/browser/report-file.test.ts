// The report as one file: the same picture without network and script, and series that nobody has to tell by color.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildReport } from '../../web/build-report.ts';
import { renderHtml } from '../../web/report-html.ts';
import { records } from '../cli/report-fixture.ts';
import { figures, objects } from '../cli/report-objects.ts';
import { evidence } from '../web/evidence-fixture.ts';
import { openBrowser } from './open-browser.ts';

let browser: Browser;
let address: string;

beforeAll(async () => {
  browser = await openBrowser();
  const known = { ...objects, figures, evidence: new Map([[1, evidence]]) };
  const model = buildReport('demo', records, known);
  const file = join(mkdtempSync(join(tmpdir(), 'evo-report-')), 'demo.html');
  writeFileSync(file, renderHtml(model, { object: () => null, entry: () => null }));
  address = pathToFileURL(file).href;
});
afterAll(() => browser.close());

async function opened(options: Parameters<Browser['newContext']>[0]): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

it('shows the same with network and script off', async () => {
  const asked: string[] = [];
  const whole = await opened({});
  whole.on('request', (request) => asked.push(request.url()));
  await whole.reload();
  const bare = await opened({ javaScriptEnabled: false, offline: true });
  expect(await bare.locator('.answer').textContent()).toContain('b1');
  expect(await bare.locator('text=reached at problem 24 of 800').count()).toBeGreaterThan(0);
  const pictures = await Promise.all(
    [whole, bare].map((page) => page.screenshot({ fullPage: true, animations: 'disabled' })),
  );
  expect(pictures[0]?.equals(pictures[1] ?? Buffer.alloc(0))).toBe(true);
  expect(asked).toEqual([address]);
});

const SERIES = ['.line.paid', '.line.hidden-score', '.line.plain', 'circle.reward', 'circle.truth'];

it.each(['light', 'dark'] as const)(
  'in the %s scheme, eyes without green see every series at 3:1, and two in one plot differ by dash or fill',
  async (colorScheme) => {
    const page = await opened({ colorScheme });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'deuteranopia' });
    const canvas = await opened({});
    const contrasts = new Map<string, number>();
    for (const series of SERIES) {
      const picture = await page.locator(series).first().screenshot();
      contrasts.set(series, await contrastOf(canvas, picture));
    }
    for (const [series, contrast] of contrasts)
      expect({ series, holds: contrast >= 3 }).toEqual({ series, holds: true });
    const dashOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((line) => getComputedStyle(line).strokeDasharray);
    expect(await dashOf('.line.paid')).not.toBe(await dashOf('.line.hidden-score'));
    const fillOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((dot) => getComputedStyle(dot).fill);
    expect(await fillOf('circle.reward')).not.toBe(await fillOf('circle.truth'));
  },
);

/** The highest of a picture's pixels against its most frequent one. */
const contrastOf = (page: Page, picture: Buffer): Promise<number> =>
  page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    if (!drawing) throw new Error('no canvas');
    drawing.drawImage(bitmap, 0, 0);
    const { data } = drawing.getImageData(0, 0, bitmap.width, bitmap.height);
    const counts = new Map<string, number>();
    for (let at = 0; at < data.length; at += 4) {
      const key = [...data.slice(at, at + 3)].join();
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const light = (key: string): number => {
      const [red = 0, green = 0, blue = 0] = key.split(',').map((one) => {
        const share = Number(one) / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [most = ''] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
    const ground = light(most);
    const ratios = [...counts.keys()].map((key) => {
      const own = light(key);
      return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
    });
    return Math.max(...ratios);
  }, picture.toString('base64'));
