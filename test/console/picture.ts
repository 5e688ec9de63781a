/** `npm run picture`, second half: the README's pictures of the console. */
import { mkdir } from 'node:fs/promises';
import { findChromium } from '../support/browser/chromium.js';
import { openConsoleWith } from './support/open-console.js';
import { sampleScreens } from './support/sample-screens.js';
import { fillSampleWorkspace } from './support/sample-workspace.js';

const folder = 'lib/docs/pictures';
const pictures = ['reader', 'changes', 'principal'];

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const test = await openConsoleWith(browser);
try {
  await mkdir(folder, { recursive: true });
  const sample = await fillSampleWorkspace(test);
  for (const { name, who, address, prepare } of sampleScreens.filter((screen) => pictures.includes(screen.name))) {
    const watched = await test.open(sample[who], address, { width: 1120, height: 700 });
    await prepare(watched);
    watched.judgeConsole(name);
    await watched.page.screenshot({ path: `${folder}/${name}.png` });
    console.log(`${folder}/${name}.png`);
  }
} finally {
  await test.close();
}
