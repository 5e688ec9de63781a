import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { WatchedPage } from '../support/browser/chromium.js';
import { until } from '../support/until.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { choose, inDialog, shows, textOf } from './support/look.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const hostile = '<img src=x onerror=alert(1)> "><script>alert(2)</script> {{7*7}} ' + 'W'.repeat(100);

describe('The webhooks in the console', function () {
  this.timeout(180_000);

  let receiver: Receiver;
  let test: ConsoleTest;
  let admin: ConsolePerson;
  let browser: BrowserContext;
  /** Everything that the browser was sent after a secret was shown. */
  let said = '';

  before(async function () {
    receiver = await Receiver.open();
    test = await openConsole(this, { webhooks: { hosts: [receiver.host] } });
    const { host } = test.server;
    // Signatures are of the time, and those who verify them look at their own clocks.
    host.clock.milliseconds = Date.now();
    admin = await test.person('Admin', { '': 'approver' });
    await admin.rest.create('team/start.md');
    await host.service.startSchedules();
    browser = await test.browserOf(admin);
  });
  after(async () => {
    await test?.close();
    await receiver?.close();
  });

  it('tells a receiver of a person what changes: added, tested, delivered, broken, mended and removed', async () => {
    const look = await open('~/connectors');
    await look.get('link', 'Webhooks').click();
    await look.get('heading', 'No webhooks yet').waitFor();
    await look.judge('no webhooks');
    await look.get('button', 'Add webhook').click();
    await inDialog(look, 'Add webhook').click();
    for (const fault of ['Enter a name.', 'Enter an address that begins with https://.']) await shows(look, fault);
    await look.page.getByLabel('Name', { exact: true }).fill('Chat of the team');
    await look.page.getByLabel('Address', { exact: true }).fill(receiver.url);
    await look.page.getByLabel('Folder (optional)').fill('nowhere');
    look.expect(404);
    await inDialog(look, 'Add webhook').click();
    await shows(look, 'There is no such folder, or you are no approver of it.');
    await look.page.getByLabel('Some kinds of changes').check();
    await look.judge('the dialog with every fault');
    await look.page.getByLabel('A document is made').check();
    await look.page.getByLabel('Folder (optional)').fill('team');
    await inDialog(look, 'Add webhook').click();
    await look.get('heading', 'Give the secret to the receiver now').waitFor();
    const secret = await textOf(look, 'Secret');
    await look.judge('the secret, shown once');
    await look.page.getByLabel('The receiver has it').check();
    await look.get('button', 'Done').click();
    look.page.on('response', (response) => {
      void response.text().then(
        (text) => (said += text),
        () => undefined,
      );
    });
    await look.get('link', 'Chat of the team').click();
    await look.get('button', 'Send test').click();
    await shows(look, 'The test message was delivered');
    assert.equal(receiver.received.at(-1)?.type, 'webhook.test');

    await admin.rest.create('team/news.md');
    await until('the change was told', () => receiver.told().includes('document.created team/news.md'));
    await look.page.getByRole('list', { name: 'Deliveries' }).getByText('document.created').waitFor();
    await look.judge('a delivery');
    await look.get('button', /^Send again from document.created/).click();
    await inDialog(look, 'Send again').click();
    await until('it was told again', () => receiver.told().filter((told) => told.includes('news')).length === 2);

    receiver.answerWith(500, {}, `out of order ${hostile}`);
    await admin.rest.create('team/more.md');
    await shows(look, 'The receiver does not take it');
    await shows(look, /^It said: out of order/);
    await look.judge('a receiver that fails');
    await look.get('button', 'Send test').click();
    await shows(look, 'The test message was not delivered');
    await look.get('button', 'Disable').click();
    await look.page.getByRole('heading', { level: 1 }).getByText('disabled').waitFor();
    await look.judge('a webhook that is disabled');
    receiver.recover();
    await look.get('button', 'Enable').click();
    await until('it went on', () => receiver.told().includes('document.created team/more.md'));
    await look.page.getByRole('heading', { level: 1 }).getByText('delivers').waitFor();

    await choose(look, 'Make a new secret');
    await inDialog(look, 'Make new secret').click();
    const rotated = await textOf(look, 'Secret');
    assert.notEqual(rotated, secret);
    await look.page.getByLabel('The receiver has it').check();
    await look.get('button', 'Done').click();
    await shows(look, 'Signs too, and ends');
    await choose(look, 'Change webhook');
    await look.page.getByLabel('Every change of a document').check();
    await inDialog(look, 'Save').click();
    await shows(look, 'Every change of a document');
    assert.ok(!said.includes(secret), 'a secret came back');
    assert.ok(!(await look.page.content()).includes(rotated));
    await choose(look, 'Remove webhook');
    await look.judge('the question before a removal');
    await inDialog(look, 'Remove webhook').click();
    await look.get('heading', 'No webhooks yet').waitFor();
  });

  it('keeps hostile names and answers inert on a phone in the dark, and is there for approvers alone', async () => {
    receiver.answerWith(500, {}, hostile);
    const made = await admin.rest.post('/v1/webhooks', { name: hostile, url: receiver.url, location: 'team' });
    await admin.rest.create('team/hostile.md');
    const { id } = made.json as { readonly id: string };
    const look = await open(`~/webhooks/${id}`);
    await look.page.setViewportSize({ width: 320, height: 640 });
    await look.page.emulateMedia({ colorScheme: 'dark' });
    await shows(look, /^It said: <img/);
    await look.judge('a hostile webhook on a phone');
    await look.page.goto(test.addressOf('~/webhooks'));
    await look.page.getByRole('link', { name: hostile }).waitFor();
    await look.judge('a hostile webhook in the list');

    const editor = await test.person('Editor', { team: 'editor' });
    const other = await test.open(editor, '~/trash');
    const pages = new Set<string>();
    for (const rest of ['', `/${id}`, '/whk_none']) {
      await other.page.goto(test.addressOf(`~/webhooks${rest}`));
      await other.get('heading', /does not exist, or you do not have access/).waitFor();
      pages.add(await other.page.getByRole('main').innerText());
    }
    assert.equal(pages.size, 1);
    const elsewhere = await test.person('Elsewhere', { elsewhere: 'approver' });
    const stranger = await test.open(elsewhere, '~/webhooks');
    await stranger.get('heading', 'No webhooks yet').waitFor();
    stranger.expect(404);
    for (const unknown of [id, 'whk_none']) {
      await stranger.page.goto(test.addressOf(`~/webhooks/${unknown}`));
      await stranger.get('heading', /webhook does not exist, or you do not have access/).waitFor();
    }
  });

  it('says that the service cannot answer, and never shows an empty list instead', async () => {
    const look = await open('~/trash');
    look.expect(503);
    const refusal = { code: 'UNAVAILABLE', message: 'Not now.', request_id: 'req_00000000000000000000' };
    await look.page.route('**/webhooks?*', (route) =>
      route.fulfill({ status: 503, json: { error: refusal }, headers: { 'Retry-After': '0' } }),
    );
    await look.page.goto(test.addressOf('~/webhooks'));
    await look.get('heading', 'The service cannot answer at the moment').waitFor();
    assert.equal(await look.page.getByText('No webhooks yet').count(), 0);
    await look.judge('webhooks that cannot be read');
  });

  async function open(address: string): Promise<WatchedPage> {
    const look = new WatchedPage(await browser.newPage());
    await look.page.goto(test.addressOf(address));
    return look;
  }
});
