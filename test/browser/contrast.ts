// What eyes without green see of a page, by Chromium's emulation.
import type { Page } from 'playwright-core';

/** Of these selectors those whose first element has less than 3:1 against its ground. */
export async function faintWithoutGreen(
  page: Page,
  selectors: readonly string[],
): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'deuteranopia' });
  const canvas = await page.context().newPage();
  const faint: string[] = [];
  for (const selector of selectors) {
    await page.bringToFront();
    const picture = await page.locator(selector).first().screenshot();
    const contrast = await contrastOf(canvas, picture);
    if (contrast < 3) faint.push(`${selector} ${contrast.toFixed(2)}`);
  }
  await canvas.close();
  return faint;
}

export const dashOf = (page: Page, selector: string): Promise<string> =>
  page
    .locator(selector)
    .first()
    .evaluate((line) => getComputedStyle(line).strokeDasharray);

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
