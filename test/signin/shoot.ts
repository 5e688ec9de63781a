/** `npm run screenshots`: every page of signing in, light and dark, wide and narrow, in a temporary folder. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../support/browser/chromium.js';
import { serveSamples } from './serve-samples.js';

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'cartulary-screenshots-'));
const samples = await serveSamples();
try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1000, 320]) {
      const { page } = await browser.person({ scheme, width });
      for (const name of samples.names) {
        await page.goto(samples.addressOf(name));
        await page.screenshot({ path: join(folder, `${name}-${scheme}-${width}.png`), fullPage: true });
      }
    }
  }
} finally {
  await browser.close();
  await samples.close();
}
console.log(folder);
