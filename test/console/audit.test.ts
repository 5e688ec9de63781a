import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WatchedPage } from '../support/browser/chromium.js';
import { runProgram } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';
import { Sqlite } from '../support/store/sqlite.js';

const day = 86_400_000;
const hostile = '<img src=x onerror="document.title=1">\u202egnp.exe';

describe('The audit log in the console', function () {
  this.timeout(120_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let approver: ConsolePerson;
  let reader: ConsolePerson;
  let work: string;

  before(async function () {
    work = await mkdtemp(join(tmpdir(), 'cartulary-audit-'));
    test = await openConsole(this, { store: 'disk-without-git' });
    const { host } = test.server;
    admin = await test.person('Admin', { '': 'approver' });
    approver = await test.person('Ada', { handbook: 'approver' });
    reader = await test.person('Reader', { handbook: 'reader' });
    const earlier = await test.person('Earlier reader', { handbook: 'reader' });
    const agentId = await host.principal(hostile, 'agent');
    await host.grant('reader', { type: 'principal', id: agentId }, 'handbook');
    const agent = test.server.as(await host.key(agentId));
    await admin.rest.create('handbook/travel.md', '# Travel\n\nBy train.\n');
    await admin.rest.create('secret/plan.md', 'hidden');
    await earlier.rest.get('/v1/documents/handbook/travel.md');
    host.clock.advance(9 * day);
    await agent.get('/v1/documents/handbook/travel.md');
    await agent.get('/v1/documents/handbook/travel.md');
    host.clock.advance(day);
    await reader.rest.get('/v1/documents/handbook/travel.md');
    await reader.rest.get(`/v1/documents/handbook/${encodeURIComponent(hostile)}`);
    for (let count = 0; count < 60; count += 1) await admin.rest.get('/v1/documents/secret/plan.md');
    host.clock.advance(3_600_000);
  });
  after(async () => {
    await test?.close();
    await rm(work, { recursive: true, force: true });
  });

  it('says who read a page last week: found from the first page, without a word of documentation', async () => {
    const watched = await test.open(approver);
    await watched.get('link', 'handbook').click();
    await watched.get('link', 'travel.md').click();
    await watched.get('button', 'More actions for travel.md').press('Enter');
    await watched.get('menuitem', 'Who read this').press('Enter');
    await until('all readers are listed', async () => (await readers(watched)).length === 4);
    assert.deepEqual(await readers(watched), ['Ada', 'Reader', hostile, 'Earlier reader']);
    await watched.page.getByLabel('Time').selectOption({ label: 'Last 7 days' });
    await until('the reader of ten days ago is gone', async () => (await readers(watched)).length === 3);
    assert.deepEqual(await readers(watched), ['Ada', 'Reader', hostile]);
    const row = watched.page.locator('.audit-row', { hasText: 'gnp.exe' });
    assert.match(await row.innerText(), /agent\s*last read yesterday/);
    assert.match(watched.page.url(), /\/audit\?location=handbook%2Ftravel\.md&time=week$/);
    await watched.judge('who read this');
    await watched.get('link', `Records of ${hostile}`).click();
    await records(watched).nth(1).waitFor();
    assert.equal(await records(watched).count(), 2);
    await watched.judge('the records of one reader');
  });

  it('shows nothing of a hidden place, and the same page as for an absent one', async () => {
    const watched = await test.open(approver, '~/audit');
    watched.expect(404);
    await watched.get('heading', 'Which document or folder?').waitFor();
    for (const place of ['secret/plan.md', 'secret', 'none.md']) {
      await watched.get('textbox', 'Document or folder').fill(place);
      await watched.page.keyboard.press('Enter');
      await watched.page.waitForURL((url) => url.searchParams.get('location') === place);
      await watched.get('heading', 'This place does not exist, or you do not have access to it').waitFor();
    }
    await watched.judge('out of reach');
    await watched.page.goto(test.addressOf('~/audit/check'));
    await watched.get('heading', /does not exist, or you do not have access/).waitFor();
    assert.equal(await watched.get('link', 'Check and export').count(), 0);
  });

  it('shows everyone their own doings, and no others', async () => {
    const look = { width: 320, height: 640, scheme: 'dark' } as const;
    const watched = await test.open(reader, '~/audit', look);
    await watched.get('link', 'Show your own doings').click();
    await watched.page.getByText('These are your own doings.').waitFor();
    await records(watched).first().waitFor();
    const names = await watched.get('list', 'Records').locator('.who-name').allInnerTexts();
    assert.deepEqual(new Set(names), new Set(['Reader']));
    assert.equal(await watched.get('combobox', 'Who').count(), 0);
    await watched.judge('own doings on a phone in the dark');
  });

  it('finds records by filters that the address keeps, loads more, and shows every field', async () => {
    const watched = await test.open(admin);
    await watched.get('link', 'Audit log').press('Enter');
    await watched.get('link', 'Records').press('Enter');
    await records(watched).nth(49).waitFor();
    await watched.get('button', 'Load more').press('Enter');
    await records(watched).nth(60).waitFor();
    await watched.page.getByLabel('Outcome').selectOption('refused');
    await until('only refused ones are listed', async () => {
      const listed = await records(watched).allInnerTexts();
      return listed.length > 0 && listed.every((text) => text.includes('refused'));
    });
    await watched.get('combobox', 'Who').fill('read');
    await watched.get('option', /^Reader/).click();
    await until('one record is left', async () => (await records(watched).count()) === 1);
    await watched.page.getByLabel('What', { exact: true }).selectOption('document.read');
    await watched.page.reload();
    await records(watched).first().waitFor();
    assert.equal(await records(watched).count(), 1);
    assert.equal(await watched.page.getByLabel('Outcome').inputValue(), 'refused');
    await watched.judge('filtered records');
    await watched.get('button', /^Details: Read a document/).press('Enter');
    const dialog = watched.get('dialog', 'Read a document');
    await dialog.waitFor();
    const fields = await dialog.locator('dt').allInnerTexts();
    assert.deepEqual(fields, [
      'When',
      'Who',
      'Principal',
      'Token',
      'Token made by',
      'By',
      'Action',
      'Outcome',
      'Target',
      'Document id',
      'Version',
      'Request id',
      'Details',
      'Number in the chain',
      'Hash',
    ]);
    await watched.get('button', 'Copy request id').waitFor();
    await watched.judge('all fields of a record');
    await watched.get('link', 'All of this request').click();
    await watched.page.waitForURL(/\/records\?request=req_/);
    await dialog.waitFor({ state: 'detached' });
    await until('the request is listed', async () => (await records(watched).count()) === 1);
    await watched.page.getByLabel('Request id').fill('req_none');
    await watched.page.keyboard.press('Enter');
    await watched.get('heading', 'No records').waitFor();
    await watched.judge('no records');
    await watched.get('button', 'Clear filters').click();
    await records(watched).nth(49).waitFor();
  });

  it('says that the service cannot answer, and never that nobody read this', async () => {
    const watched = await test.open(admin, '~/audit');
    watched.expect(503);
    const unavailable = { status: 503, headers: { 'Retry-After': '0' }, json: { error: { code: 'UNAVAILABLE' } } };
    await watched.page.route('**/audit?**', (route) => route.fulfill(unavailable));
    await watched.get('button', 'The whole workspace').click();
    await watched.get('heading', 'The service cannot answer at the moment').waitFor();
    await watched.judge('503');
    await watched.page.unroute('**/audit?**');
    await watched.get('button', 'Try again').click();
    await watched.get('list', 'Readers').waitFor();
  });

  it('checks the whole log on the server while the admin is elsewhere, and exports what the command line verifies', async () => {
    const watched = await test.open(admin, '~/audit/check');
    await watched.get('button', 'Check the log').click();
    await watched.get('link', 'Documents').click();
    await watched.get('link', 'Audit log').click();
    await watched.get('link', 'Check and export').click();
    await watched.page.getByText('The log is whole').waitFor();
    const head = await watched.page.locator('.audit-facts code').first().innerText();
    assert.match(head, /^\d+ [0-9a-f]{64}$/);
    await watched.judge('a log that is whole');
    const saved = async (button: string): Promise<string> => {
      const download = watched.page.waitForEvent('download');
      await watched.get('button', button).click();
      const file = join(work, (await download).suggestedFilename());
      await (await download).saveAs(file);
      return file;
    };
    const files = ['--export', await saved('Export the log'), '--key', await saved('Save the public key')];
    assert.equal(
      await watched.page.locator('.audit-command').innerText(),
      'cartulary audit verify --export audit.jsonl --key audit-key.pem',
    );
    const verified = await runProgram(['audit', 'verify', ...files, '--head', head]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    assert.ok((await readFile(join(work, 'audit.jsonl'), 'utf8')).includes('handbook/travel.md'));
  });

  it('names the first broken record, and what to do', async () => {
    const file = join(test.server.host.dataFolder ?? '', 'acme', 'sidecar.sqlite');
    const connection = new Sqlite(file);
    connection.prepare("UPDATE audit_record SET principal = 'prn_forged' WHERE seq = 7").run();
    connection.close();
    const watched = await test.open(admin, '~/audit/check', { width: 320, height: 640 });
    await watched.get('button', 'Check the log').press('Enter');
    await watched.page.getByRole('alert').filter({ hasText: 'Record 7 is broken' }).waitFor();
    await watched.page.getByText('Change nothing in the data folder').waitFor();
    await watched.judge('a broken log on a phone');
  });

  const readers = (watched: WatchedPage): Promise<string[]> =>
    watched.get('list', 'Readers').locator('.who-name').allInnerTexts();

  const records = (watched: WatchedPage): ReturnType<WatchedPage['get']> =>
    watched.get('list', 'Records').locator('li');
});
