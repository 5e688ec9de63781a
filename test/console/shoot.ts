/**
 * `npm run screenshots`, second half: every screen of the console in light, dark and on a phone, in a temporary folder,
 * with a sheet of all of them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findChromium, type Look, type WatchedPage } from '../support/browser/chromium.js';
import { noLog } from '../support/http/log.js';
import { openConsoleWith, type ConsolePerson } from './support/open-console.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { connectSamples, hookSamples } from './support/sample-connectors.js';
import { fillSampleWorkspace } from './support/sample-workspace.js';
import { sampleScreens } from './support/sample-screens.js';

const looks = {
  light: { scheme: 'light', width: 1200, height: 800 },
  dark: { scheme: 'dark', width: 1200, height: 800 },
  phone: { scheme: 'light', width: 360, height: 720 },
} satisfies Record<string, Look>;

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const folder = await mkdtemp(join(tmpdir(), 'cartulary-console-'));
const receiver = await Receiver.open();
const sources = await mkdtemp(join(tmpdir(), 'cartulary-sources-'));
const test = await openConsoleWith(browser, {
  connectors: { allowance: { hosts: [], folders: [sources], programs: {} }, log: noLog },
  webhooks: { hosts: [receiver.host] },
});
try {
  const sample = await fillSampleWorkspace(test);
  await connectSamples(test, sample.admin, sources);
  await hookSamples(sample.admin, receiver);
  const chosen = sampleScreens.filter(({ name }) => process.argv.length < 3 || process.argv.includes(name));
  for (const [look, options] of Object.entries(looks)) {
    const pages = new Map<ConsolePerson, WatchedPage>();
    for (const { name, who, address, prepare } of chosen) {
      const person = sample[who];
      const watched = pages.get(person) ?? (await test.open(person, '~/trash', options));
      pages.set(person, watched);
      await watched.page.goto(test.addressOf(address));
      try {
        await prepare(watched);
      } catch (error) {
        // The picture shows what is there instead.
        console.error(`${name} ${look}: ${String(error).split('\n')[0]}`);
        process.exitCode = 1;
      }
      await watched.page.screenshot({ path: join(folder, `${name}-${look}.png`) });
      console.log(`${name} ${look}`);
    }
  }
  const cell = (name: string, look: string) =>
    `<td><img src="${name}-${look}.png" width="${look === 'phone' ? 220 : 560}"></td>`;
  const rows = chosen.map(({ name }) => {
    const cells = Object.keys(looks).map((look) => cell(name, look));
    return `<tr><th>${name}</th>${cells.join('')}</tr>`;
  });
  const sheet = join(folder, 'sheet.html');
  await writeFile(sheet, `<body style="font:16px sans-serif"><table>${rows.join('')}</table>`);
  const { page } = await browser.person({ width: 1500, height: 900 });
  await page.goto(pathToFileURL(sheet).href);
  await page.screenshot({ path: join(folder, 'sheet.png'), fullPage: true });
} finally {
  await test.close();
  await receiver.close();
  await rm(sources, { recursive: true });
}
console.log(folder);
