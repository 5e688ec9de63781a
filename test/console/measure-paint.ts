/**
 * `npm run bench:pages`: how long a page takes from a key or press to its next paint, in a folder of 10,000 documents
 * that are all loaded. The browser's own event timing counts, in steps of 8 milliseconds.
 */
import { parseLocation } from '../../lib/domain/location.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { findChromium } from '../support/browser/chromium.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { openConsoleWith } from './support/open-console.js';

const documents = 10_000;
const rounds = 5;

/** Collects in the browser what each event took. */
const watch = `
  window.timings = [];
  new PerformanceObserver((list) => {
    for (const { interactionId, name, duration } of list.getEntries()) if (interactionId > 0) window.timings.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
`;

/** A key, and the key that puts the page into the state before it. */
const actions: Readonly<Record<string, { readonly before: string; readonly key: string }>> = {
  'arrow down': { before: 'Home', key: 'ArrowDown' },
  'select a row': { before: 'Home', key: 'Space' },
  'page down': { before: 'Home', key: 'PageDown' },
  'page up': { before: 'End', key: 'PageUp' },
  'to the end': { before: 'Home', key: 'End' },
  'to the start': { before: 'End', key: 'Home' },
  'select all': { before: 'Escape', key: 'Control+a' },
  'select none': { before: 'Control+a', key: 'Escape' },
};

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const test = await openConsoleWith(browser);
try {
  const admin = await test.person('Admin', { '': 'approver' });
  const files = Array.from({ length: documents }, (_, index) => ({
    location: parseLocation(`large/${String(index).padStart(5, '0')}.md`),
    content: { bytes: Buffer.from('x') },
  }));
  const into = parseLocation('large');
  await perform(test.server.host.workspace, operator, importDocuments, { into, files, message: null });
  const watched = await test.open(admin, '~/f/large', { width: 1200, height: 800 });
  const { page } = watched;
  await page.locator('.entry').first().waitFor();
  await page.locator('[data-row]').first().focus();
  const height = (): Promise<number> => page.locator('.entry-rows').evaluate((rows) => rows.clientHeight);
  const rowHeight = (await height()) / 200;
  while ((await height()) < (documents - 1) * rowHeight) {
    const before = await height();
    await page.keyboard.press('End');
    await until('the next page is there', async () => (await height()) > before);
  }
  await page.evaluate(watch);
  console.log(`${Math.round((await height()) / rowHeight)} rows`);
  // Two frames, and the time in which the browser reports what came before them.
  const settle = (): Promise<unknown> =>
    page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200))))',
    );
  for (const [name, { before, key }] of Object.entries(actions)) {
    const taken: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await page.keyboard.press(before);
      await settle();
      await page.evaluate('window.timings.length = 0');
      await page.keyboard.press(key);
      await settle();
      taken.push(Math.max(0, ...(await page.evaluate<number[]>('window.timings'))));
    }
    const [least, , median, , most] = taken.toSorted((one, other) => one - other);
    const say = (duration = 0): string => (duration === 0 ? 'under 16' : String(duration));
    console.log(`${name.padEnd(14)} ${say(median)} ms (${say(least)} to ${say(most)})`);
  }
} finally {
  await test.close();
}
