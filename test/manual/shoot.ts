/** `npm run screenshots`: pages of the manual, light and dark, wide and narrow, in a temporary folder. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from '../support/browser/chromium.js';
import { OpenManual } from './open-manual.js';

const shown = ['', 'start', 'applications', 'agents', 'settings', 'reasons', 'rest-documents', 'search?q=access'];

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'cartulary-manual-'));
const manual = await OpenManual.open();
try {
  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1200, 320]) {
      const { page } = await browser.person({ scheme, width });
      for (const name of shown) {
        await page.goto(`${manual.url}/docs/${name}`);
        await page.screenshot({ path: join(folder, `${name.replace('?q=', '-') || 'index'}-${scheme}-${width}.png`) });
      }
    }
  }
} finally {
  await browser.close();
  await manual.close();
}
console.log(folder);
