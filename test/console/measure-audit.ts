/**
 * `npm run bench:audit`: the audit log's pages with a million records on the disk, or with as many as are given. How
 * long a check of all of them takes from the click to the verdict, how long other people wait for a document meanwhile,
 * and how long the records and readers of a page take to appear.
 */
import { findChromium } from '../support/browser/chromium.js';
import { openConsoleWith, type ConsolePerson } from './support/open-console.js';

const records = Number(process.argv[2] ?? 1_000_000);
const inOneWrite = 500;
const readers = 40;
/** Milliseconds between two reads of the other person. */
const readEvery = 50;

const browser = findChromium();
if (browser === undefined) {
  console.error('There is no Chromium here; on Debian: apt-get install chromium');
  process.exit(1);
}
const test = await openConsoleWith(browser, { store: 'disk-without-git' });
const { workspace, clock } = test.server.host;

/** Fills the log with reads of a hundred documents, of which one is real, over some months. */
async function fill(documentId: string): Promise<void> {
  const principals: string[] = [];
  for (let count = 0; count < readers; count += 1) {
    principals.push(await test.server.host.principal(`Reader ${count}`, count % 2 === 0 ? 'agent' : 'person'));
  }
  for (let done = 0; done < records; done += inOneWrite) {
    clock.advance(5000);
    await workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => {
        for (let index = done; index < Math.min(done + inOneWrite, records); index += 1) {
          const isReal = index % 100 === 0;
          transaction.audit({
            principal: principals[((index / 100 + index) % readers) | 0] ?? null,
            credential: null,
            interface: 'rest',
            action: 'document.read',
            outcome: 'done',
            requestId: `req_${index}`,
            target: isReal ? 'handbook/travel.md' : `handbook/page-${index % 100}.md`,
            ...(isReal && { documentId }),
          });
        }
      },
    });
  }
}

/** Reads a document again and again until told to stop. @returns the milliseconds that each read took, sorted */
async function keepReading(person: ConsolePerson, isOver: () => boolean): Promise<readonly number[]> {
  const taken: number[] = [];
  while (!isOver()) {
    const begin = performance.now();
    await person.rest.get('/v1/documents/handbook/travel.md');
    taken.push(performance.now() - begin);
    await new Promise((resolve) => setTimeout(resolve, readEvery));
  }
  return taken.toSorted((one, other) => one - other);
}

try {
  const admin = await test.person('Admin', { '': 'approver' });
  const other = await test.person('Reader', { handbook: 'reader' });
  const created = await admin.rest.create('handbook/travel.md', '# Travel\n');
  await fill(created.json.id as string);
  clock.advance(3_600_000);
  console.log(`${workspace.journal.state.chain.seq} records`);
  const watched = await test.open(admin, '~/audit', { width: 1200, height: 800 });
  const { page } = watched;
  const time = async (what: string, act: () => Promise<unknown>, isShown: () => Promise<unknown>): Promise<void> => {
    const begin = performance.now();
    const used = process.cpuUsage();
    await act();
    await isShown();
    const { user, system } = process.cpuUsage(used);
    console.log(
      `${what}: ${Math.round(performance.now() - begin)} ms, ${Math.round((user + system) / 1000)} of them at work in the service`,
    );
  };
  await time(
    'who read one of a hundred documents',
    async () => {
      await watched.get('textbox', 'Document or folder').fill('handbook/travel.md');
      await page.keyboard.press('Enter');
    },
    () => page.getByText('Reader 1', { exact: true }).waitFor(),
  );
  await time(
    'the newest records',
    () => watched.get('link', 'Records').first().click(),
    () => watched.get('list', 'Records').locator('li').nth(49).waitFor(),
  );
  await page.goto(test.addressOf('~/audit/check'));
  let isOver = false;
  const alone = await Promise.all([
    keepReading(other, () => isOver),
    new Promise((resolve) => setTimeout(resolve, 5000)).then(() => (isOver = true)),
  ]);
  isOver = false;
  const reading = keepReading(other, () => isOver);
  const seen = new Set<string>();
  await time(
    'a check of all records',
    () => watched.get('button', 'Check the log').click(),
    async () => {
      const verdict = page.getByText('The log is whole');
      for (;;) {
        const shown = await page
          .locator('progress')
          .getAttribute('value', { timeout: 1000 })
          .catch(() => null);
        if (shown !== null) seen.add(shown);
        if ((await verdict.count()) > 0) return;
      }
    },
  );
  isOver = true;
  const meanwhile = await reading;
  const at = (all: readonly number[], share: number): string =>
    `${Math.round(all[Math.floor(all.length * share)] ?? 0)}`;
  console.log(`steps of progress that were shown: ${seen.size}`);
  for (const [when, all] of [
    ['before', alone[0]],
    ['meanwhile', meanwhile],
  ] as const) {
    console.log(
      `a read by somebody else ${when}: median ${at(all, 0.5)} ms, p95 ${at(all, 0.95)} ms, most ${at(all, 0.999)} ms`,
    );
  }
  await time(
    'one request in the middle',
    () => page.goto(test.addressOf(`~/audit/records?request=req_${records >> 1}`)),
    () => watched.get('list', 'Records').locator('li').first().waitFor(),
  );
} finally {
  await test.close();
}
