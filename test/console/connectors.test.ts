import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { WatchedPage } from '../support/browser/chromium.js';
import { GitServer } from '../support/git/git-server.js';
import { makeUpstream, type Upstream } from '../support/git/upstream.js';
import { noLog } from '../support/http/log.js';
import { choose, inDialog, shows, textOf } from './support/look.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const password = 'correct horse battery staple';
const hostile = '<img src=x onerror=alert(1)> "><script>alert(2)</script> {{7*7}} ' + 'W'.repeat(100);

/** Thirty files, so that losing most of them is a large deletion. */
const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`notes/${index}.md`, `# ${index}\n`]));

describe('The connectors in the console', function () {
  this.timeout(180_000);

  let folder: string;
  let upstream: Upstream;
  let server: GitServer;
  let test: ConsoleTest;
  let admin: ConsolePerson;
  let browser: BrowserContext;
  /** Everything that the browser was sent. */
  let said = '';

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-console-source-'));
    upstream = makeUpstream(folder, 'site.git');
    await upstream.commit({ ...many, 'read.md': '# Read\n', link: { mode: '120000', data: 'read.md' } });
    server = await GitServer.open(folder, { credentials: { username: 'ada', password } });
    test = await openConsole(this, {
      store: 'disk',
      connectors: { allowance: { hosts: [server.host], folders: [], programs: {} }, log: noLog },
    });
    admin = await test.person('Admin', { '': 'approver' });
    await test.server.host.service.startSchedules();
    browser = await test.browserOf(admin);
  });
  after(async () => {
    await test?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('mirrors a repository without documentation: made, tested, run, broken, mended, and ended by clicking', async () => {
    const look = await open('~/f/');
    await look.get('link', 'Connectors').click();
    await look.get('heading', 'Nothing is mirrored yet').waitFor();
    await look.judge('no connectors');
    await look.page.getByRole('link', { name: 'Mirror a source' }).first().click();
    await look.get('radio', 'Git repository').check();
    await look.get('button', 'Test connection').click();
    await shows(look, 'This has to be filled in.');
    await look.judge('a form with nothing in it');
    await look.page.getByLabel('Address', { exact: true }).fill(server.url('site.git'));
    await look.page.getByLabel('User name (optional)').fill('ada');
    await look.page.getByLabel('Credential (optional)').fill('a wrong guess');
    assert.equal(await textOf(look, 'Folder here'), 'site');
    await look.page.getByLabel('Folder here').fill('handbook/site');
    await look.get('button', 'Test connection').click();
    await shows(look, 'The source refuses the credential');
    await look.judge('a connection that does not work');
    await look.page.getByLabel('Credential (optional)').fill(password);
    await look.get('button', 'Test connection').click();
    await shows(look, 'The connection works');
    await shows(look, 'The folder handbook/site is made');
    await look.judge('a connection that works');

    let go: () => void = () => undefined;
    server.held = new Promise((resolve) => (go = resolve));
    await look.get('button', 'Connect').click();
    await isNow(look, 'syncing');
    await shows(look, 'First sync under way');
    await look.judge('the first sync');
    go();
    server.held = undefined;
    await isNow(look, 'up to date');
    await shows(look, '31 new');
    await shows(look, 'A link, not a file');
    await look.judge('a connector that is well');
    const address = look.page.url();

    // Who reads a mirror learns which connector keeps it, and an approver gets to it.
    await look.page.getByRole('link', { name: 'handbook/site/' }).click();
    await shows(look, 'The connector “site” keeps it the same as its source.');
    await look.judge('the banner of a folder');
    await look.page.getByText('read.md', { exact: true }).click();
    await shows(look, 'The connector “site” keeps it the same as its source.');
    await look.get('link', 'Show connector').click();

    // The credential changes at the source.
    const changed = 'another horse';
    server.credentials = { username: 'ada', password: changed };
    await look.get('button', 'Sync now').click();
    await isNow(look, 'stopped');
    await shows(look, 'The source refuses the credential');
    await look.judge('a connector that has stopped');
    await look.get('link', 'Connectors').first().click();
    await look.page.getByRole('list', { name: 'Connectors' }).getByText('stopped', { exact: true }).waitFor();
    await look.judge('a list with trouble');
    await look.get('link', 'site').click();
    await look.get('button', 'Replace credential').click();
    await inDialog(look, 'Save and sync').click();
    await shows(look, 'Enter the new credential.');
    await look.page.getByLabel('Credential', { exact: true }).fill(changed);
    await look.judge('the dialog that replaces the credential');
    await inDialog(look, 'Save and sync').click();
    await isNow(look, 'up to date');
    await shows(look, 'nothing new');

    // Most files are gone at the source.
    await upstream.replaceHistory({ 'read.md': '# Read\n', 'new.md': '# New\n' });
    await look.get('button', 'Sync now').click();
    await isNow(look, 'needs approval');
    await look.judge('a deletion that waits');
    await look.get('button', 'Look and approve…').click();
    await look.page.getByRole('dialog').getByText('30 of 31 mirrored documents would be deleted').waitFor();
    await look.page.getByLabel('Type handbook/site to confirm').fill('handbook');
    await inDialog(look, 'Approve deletion').click();
    await shows(look, 'Type the folder exactly as it is written');
    await look.judge('the question before an approval');
    await look.page.getByLabel('Type handbook/site to confirm').fill('handbook/site');
    await inDialog(look, 'Approve deletion').click();
    await isNow(look, 'up to date');
    await shows(look, '30 deleted');

    // No answer has ever held a credential.
    for (const secret of [password, changed]) assert.ok(!said.includes(secret), 'a secret came back');

    await choose(look, 'Disconnect');
    await look.judge('the question before a disconnection');
    await look.get('button', 'Disconnect').click();
    await look.get('heading', 'Nothing is mirrored yet').waitFor();
    assert.equal((await admin.rest.get('/v1/documents/handbook/site/read.md')).json.read_only, false);
    await look.page.goto(address);
    await isNow(look, 'disconnected');
    const { principal, interface: face } =
      test.server.records().findLast(({ record }) => record.action === 'connector.disconnect')?.record ?? ({} as never);
    assert.deepEqual([principal, face], [admin.id, 'console']);
  });

  it('pauses, tests, changes what is mirrored, takes webhooks, and deletes the copies with the connection', async () => {
    server.credentials = undefined;
    await upstream.commit({ 'docs/guide.md': '# Guide\n' });
    const made = await admin.rest.post('/v1/connectors', {
      name: 'Site',
      location: 'mirrors/site',
      kind: 'git',
      settings: { url: server.url('site.git') },
    });
    const look = await open(`~/connectors/${made.json.id}`);
    await isNow(look, 'up to date');
    await look.get('button', 'Pause').click();
    await isNow(look, 'paused');
    await look.get('button', 'Resume').click();
    await isNow(look, 'up to date');
    await choose(look, 'Test connection');
    await shows(look, 'The connection works');

    await choose(look, 'Change settings');
    await look.page.getByLabel('Sync', { exact: true }).selectOption('86400');
    await look.page.getByLabel('Branch (optional)').fill('nowhere');
    await look.judge('the dialog that changes settings');
    await inDialog(look, 'Test and save').click();
    await look.page.getByRole('dialog').getByText('Nothing at this address can be mirrored').waitFor();
    await look.page.getByLabel('Branch (optional)').fill('main');
    await look.page.getByLabel('Folder at the source (optional)').fill('docs');
    await inDialog(look, 'Test and save').click();
    await look.page.getByRole('dialog').waitFor({ state: 'detached' });
    await shows(look, 'Every day');
    await shows(look, '1 file seen');

    await look.get('button', 'Make webhook').click();
    await look.get('heading', 'Give these to the source now').waitFor();
    await look.judge('the secret of a webhook');
    const [address, secret] = [await textOf(look, 'Webhook address'), await textOf(look, 'Secret')];
    const signature = createHmac('sha256', secret).update('{}').digest('hex');
    const headers = { 'Content-Type': 'application/json', 'X-Hub-Signature-256': `sha256=${signature}` };
    assert.equal((await fetch(address, { method: 'POST', headers, body: '{}' })).status, 202);
    await look.page.getByLabel('The source has both').check();
    await look.get('button', 'Done').click();
    assert.ok(!(await look.page.content()).includes(secret));
    await look.get('button', 'Remove').click();
    await inDialog(look, 'Remove webhook').click();
    await look.get('button', 'Make webhook').waitFor();
    assert.equal((await fetch(address, { method: 'POST', headers, body: '{}' })).status, 404);

    await choose(look, 'Disconnect');
    await look.page.getByLabel('Delete them').check();
    await look.page.getByLabel('Type mirrors/site to confirm').fill('mirrors/site');
    const tooMany = 'The mirror holds more than 10000 documents. Disconnect it and keep them.';
    look.expect(400);
    // The page also reads its connector from time to time.
    await look.page.route('**/connectors/*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({
            status: 400,
            json: { error: { code: 'INVALID_REQUEST', message: tooMany, details: { reason: 'too_many_documents' } } },
          })
        : route.fallback(),
    );
    await inDialog(look, 'Disconnect and delete').click();
    await shows(look, 'There are too many documents to delete at once');
    await look.page.unroute('**/connectors/*');
    await look.judge('a deletion that is too large');
    await look.get('button', 'Keep them instead').click();
    await look.page.getByLabel('Delete them').check();
    await inDialog(look, 'Disconnect and delete').click();
    await look.get('heading', 'Nothing is mirrored yet').waitFor();
    assert.equal((await admin.rest.get('/v1/documents/mirrors/site/guide.md')).status, 404);
  });

  it('asks for what each kind needs, and says what is wrong with it at its field', async () => {
    const look = await open('~/connectors/new?folder=handbook');
    await look.get('radio', 'Git repository').focus();
    const { keyboard } = look.page;
    for (const key of ['Space', 'ArrowDown', 'Tab']) await keyboard.press(key);
    await keyboard.type('/nowhere');
    assert.equal(await textOf(look, 'Path on the server'), '/nowhere');
    await keyboard.press('Enter');
    await shows(look, 'This service may not go there');
    await look.get('radio', 'S3 bucket').check();
    await look.page.getByLabel('Address of the service').fill('ftp://nowhere');
    await look.page.getByLabel('Bucket', { exact: true }).fill('notes');
    await look.get('button', 'Connect').click();
    await shows(look, /^Enter an address that begins with https/);
    assert.equal(await textOf(look, 'Folder here'), 'handbook/notes');
    await look.judge('the form of a bucket');
    await look.get('radio', 'Git repository').check();
    assert.equal(await look.page.getByLabel('Key of the ssh server (optional)').count(), 0);
    await look.page.getByLabel('Address', { exact: true }).fill('git@git.example.org:team/site.git');
    await look.page.getByLabel('Key of the ssh server (optional)').waitFor();
    assert.equal(await look.page.locator('textarea').count(), 1, 'a key of ssh has lines');
    await look.judge('the form of ssh');
    await look.get('radio', 'Program').check();
    await look.page.getByLabel('Program', { exact: true }).last().fill('feed');
    await look.page.getByLabel('Settings of the program (optional)').fill('{team');
    await look.get('button', 'Test connection').click();
    await shows(look, /^Enter JSON/);
    await look.page.getByLabel('Settings of the program (optional)').fill('{"team": "web"}');
    await look.get('button', 'Connect').click();
    await shows(look, 'This service may not go there');
    await look.get('button', 'Choose…').click();
    await look.get('heading', 'Where should the mirror be?').waitFor();
    await look.page.getByRole('row', { name: test.workspace }).click();
    await look.judge('the choice of a folder');
    await inDialog(look, 'Choose').click();
    assert.equal(await textOf(look, 'Folder here'), 'feed');
    await look.get('radio', 'Nextcloud or WebDAV').check();
    look.expect(400);
    await look.page.getByLabel('Address', { exact: true }).fill(`http://${server.host}/dav`);
    await look.page.getByLabel('Folder here').fill('handbook');
    await look.page.getByLabel('Name', { exact: true }).fill('Files');
    await admin.rest.create('handbook/a.md');
    await look.get('button', 'Connect').click();
    await look.get('button', 'Connect anyway').click();
    await shows(look, /^The folder is not empty/);
    await look.judge('a folder that is not empty');
  });

  it('keeps hostile names inert, on a narrow phone and in the dark', async () => {
    server.credentials = undefined;
    const link = { mode: '120000', data: 'x' } as const;
    const links = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`link-${index}`, link]));
    await upstream.replaceHistory({ ...links, [`${hostile.replaceAll('/', '-')}.md`]: link, 'a.md': 'a' });
    const made = await admin.rest.post('/v1/connectors', {
      name: hostile,
      location: 'mirrors/hostile',
      kind: 'git',
      settings: { url: server.url('site.git') },
    });
    const look = await open(`~/connectors/${made.json.id}`);
    await look.page.setViewportSize({ width: 320, height: 640 });
    await look.page.emulateMedia({ colorScheme: 'dark' });
    await isNow(look, 'up to date');
    await shows(look, 'A link, not a file');
    await look.judge('a hostile name on a phone');
    await look.get('button', 'Load more').click();
    await look.page.getByText('link-59', { exact: true }).waitFor();
    const actions = look.get('button', /^Actions for /);
    await actions.focus();
    await look.page.keyboard.press('Enter');
    await look.page.getByRole('menuitem', { name: 'Disconnect' }).waitFor();
    for (const key of ['End', 'Enter']) await look.page.keyboard.press(key);
    await look.page.getByRole('dialog').waitFor();
    await look.page.keyboard.press('Escape');
    await look.page.getByRole('dialog').waitFor({ state: 'detached' });
    await look.page.goto(test.addressOf('~/connectors'));
    await look.page.getByRole('link', { name: hostile }).waitFor();
    await look.judge('a hostile name in the list');
    await look.page.goto(test.addressOf('~/f/mirrors/hostile'));
    await shows(look, /keeps it the same as its source/);
    await look.judge('a hostile name in the banner');
    await look.page.goto(test.addressOf('~/connectors/new'));
    await look.get('radio', 'Git repository').check();
    await look.judge('the form on a phone');
  });

  it('is there for approvers of folders alone, each with their own', async () => {
    const { id } = (await admin.rest.get('/v1/connectors')).json.items[0] as { readonly id: string };
    const editor = await test.person('Editor', { mirrors: 'editor' });
    const other = await test.open(editor, '~/f/mirrors/hostile');
    await shows(other, /keeps it the same as its source/);
    assert.equal(await other.page.getByRole('link', { name: /Connector/ }).count(), 0);
    const pages = new Set<string>();
    for (const rest of ['', '/new', `/${id}`, '/prn_none']) {
      await other.page.goto(test.addressOf(`~/connectors${rest}`));
      await other.get('heading', /does not exist, or you do not have access/).waitFor();
      pages.add(await other.page.getByRole('main').innerText());
    }
    assert.equal(pages.size, 1);
    const elsewhere = await test.person('Elsewhere', { elsewhere: 'approver' });
    const look = await test.open(elsewhere, '~/connectors');
    await look.get('heading', 'Nothing is mirrored yet').waitFor();
    look.expect(404);
    for (const unknown of [id, 'prn_none']) {
      await look.page.goto(test.addressOf(`~/connectors/${unknown}`));
      await look.get('heading', /connector does not exist, or you do not have access/).waitFor();
    }
    await look.judge('no such connector');
  });

  it('says that the service cannot answer, and never shows an empty list instead', async () => {
    const look = await open('~/trash');
    look.expect(503);
    const refusal = { code: 'UNAVAILABLE', message: 'Not now.', request_id: 'req_00000000000000000000' };
    await look.page.route('**/connectors?*', (route) =>
      route.fulfill({ status: 503, json: { error: refusal }, headers: { 'Retry-After': '0' } }),
    );
    await look.page.goto(test.addressOf('~/connectors'));
    await look.get('heading', 'The service cannot answer at the moment').waitFor();
    assert.equal(await look.page.getByText('Nothing is mirrored yet').count(), 0);
    await look.judge('connectors that cannot be read');
    await look.page.unroute('**/connectors?*');
    await look.get('button', 'Try again').click();
    await look.page.getByRole('list', { name: 'Connectors' }).waitFor();
  });

  /** The badge in the heading. */
  const isNow = (look: WatchedPage, condition: string): Promise<void> =>
    look.page.getByRole('heading', { level: 1 }).getByText(condition, { exact: true }).waitFor();

  async function open(address: string): Promise<WatchedPage> {
    const look = new WatchedPage(await browser.newPage());
    look.page.on('response', (response) => {
      void response.text().then(
        (text) => (said += text),
        () => undefined,
      );
    });
    await look.page.goto(test.addressOf(address));
    return look;
  }
});
