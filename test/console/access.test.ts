import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import { perform } from '../../lib/operations/perform.js';
import { WatchedPage } from '../support/browser/chromium.js';
import { operator } from '../support/store/service.js';
import { textOf } from './support/look.js';
import { openConsole, type ConsolePerson, type ConsoleTest } from './support/open-console.js';

const day = 24 * 60 * 60 * 1000;

const hostile = '<img src=x onerror=alert(1)> "><script>alert(2)</script> {{7*7}} ' + 'W'.repeat(100);

describe('The Access screens of the console', function () {
  this.timeout(180_000);

  let test: ConsoleTest;
  let admin: ConsolePerson;
  let editor: ConsolePerson;
  let browser: BrowserContext;

  before(async function () {
    test = await openConsole(this);
    admin = await test.person('Admin', { '': 'approver' });
    editor = await test.person('Editor', { handbook: 'editor' });
    await admin.rest.post('/v1/documents', { location: 'handbook/travel.md', content: 'By train.' });
    // The admin that every service of the tests has goes, so that there is a last one.
    const { workspace } = test.server.host;
    const root = workspace.journal.reader.principals.list().find(({ displayName }) => displayName === 'Root');
    await perform(workspace, operator, setPrincipalState, { principalId: root?.id ?? '', disabled: true });
    browser = await test.browserOf(admin);
  });
  after(() => test?.close());

  it('mints a key for a script, which uses it at once, until it is rotated and revoked', async () => {
    const agent = await test.server.host.principal('Nightly export', 'agent');
    await test.server.host.grant('reader', person(agent), 'handbook');
    const look = await open('~/f/');
    await look.get('link', 'Access').click();
    await look.get('link', 'Nightly export').waitFor();
    await look.judge('people and agents');
    await look.get('link', 'Nightly export').click();
    await look.get('button', 'Mint token').click();
    assert.equal(await look.page.getByLabel('MCP').isChecked(), true);
    assert.equal(await look.page.getByLabel('REST API').isChecked(), false);
    await look.judge('the dialog that mints');
    const key = await mint(look, 'Export script', { isForRest: true });
    await look.judge('the key, shown once');

    // The line to try is what a person pastes into a shell.
    const [, header = '', address = ''] = /^curl -H "([^"]+)" (\S+)$/.exec(await textOf(look, 'Try it')) ?? [];
    const [name = '', value = ''] = header.split(': ');
    assert.equal((await fetch(address, { headers: { [name]: value } })).status, 200);
    assert.equal(await statusOnRest(key), 200);

    assert.equal(await look.get('button', 'Done').isDisabled(), true);
    await look.page.keyboard.press('Escape');
    assert.equal(await textOf(look, 'Key'), key);
    await confirmStored(look);
    assert.equal((await look.page.content()).includes(key), false);
    await look.page.getByText(`…${key.slice(-4)}`).waitFor();

    await look.get('button', 'Mint token').click();
    const forMcp = await mint(look, 'Agent');
    await confirmStored(look);
    assert.equal(await statusOnRest(forMcp), 401);

    await look.get('button', 'Rotate Export script').click();
    await look.get('button', 'Rotate token').click();
    await look.get('heading', 'Store the new key now').waitFor();
    const rotated = await textOf(look, 'Key');
    await confirmStored(look);
    assert.deepEqual([await statusOnRest(key), await statusOnRest(rotated)], [401, 200]);

    await look.get('button', 'Revoke Export script').click();
    await look.page.getByText(`ending in ${rotated.slice(-4)}`).waitFor();
    await look.judge('the question before a revocation');
    await look.get('button', 'Revoke token').click();
    await look.page.getByText('revoked', { exact: true }).waitFor();
    assert.equal(await statusOnRest(rotated), 401);
    const records = test.server.records().map(({ record }) => record);
    for (const action of ['credential.mint', 'credential.rotate', 'credential.revoke']) {
      const { principal, interface: face } = records.findLast((record) => record.action === action) ?? ({} as never);
      assert.deepEqual([principal, face], [admin.id, 'console']);
    }
  });

  it('mints a key for git, with the command that clones: it has the workspace’s address and no key', async () => {
    const agent = await test.server.host.principal('Backup', 'agent');
    const look = await open(principalPage(agent));
    await look.get('button', 'Mint token').click();
    await look.page.getByLabel('MCP').uncheck();
    const key = await mint(look, 'Nightly clone', { isForGit: true });
    const { host } = new URL(test.addressOf('~/'));
    assert.equal(await textOf(look, 'Clone'), `git clone http://acme@${host}/git/acme`);
    assert.equal(await look.page.getByLabel('Try it').count(), 0);
    await look.judge('the key of git, shown once');
    await confirmStored(look);
    await look.page.getByRole('list', { name: 'Tokens' }).getByText('Git', { exact: true }).waitFor();
    assert.equal(await statusOnRest(key), 401);
  });

  it('mints once when the answer is lost: the retry says so, and a rotation gives the key', async () => {
    const agent = await test.server.host.principal('Unlucky', 'agent');
    await test.server.host.grant('reader', person(agent), 'handbook');
    const look = await open(principalPage(agent));
    await look.page.route(
      '**/tokens',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await look.get('button', 'Mint token').click();
    await look.page.getByLabel('Name', { exact: true }).fill('Script');
    await look.page.getByLabel('REST API').check();
    await look.page.getByRole('dialog').getByRole('button', { name: 'Mint token' }).click();
    await look.get('button', 'Try again').waitFor();
    await look.page.getByText('The service could not be reached. Check the connection').waitFor();
    look.forgive();
    await look.get('button', 'Try again').click();
    await look.get('heading', 'The key was lost on its way').waitFor();
    await look.judge('the key that was lost');
    await look.get('button', 'Rotate for a new key').click();
    await look.get('button', 'Rotate token').click();
    await look.get('heading', 'Store the new key now').waitFor();
    assert.equal(await statusOnRest(await textOf(look, 'Key')), 200);
    await confirmStored(look);
    assert.equal(await look.page.getByRole('list', { name: 'Tokens' }).getByRole('listitem').count(), 1);
  });

  it('mints by keyboard alone, and gives the focus back', async () => {
    const agent = await test.server.host.principal('Keys only', 'agent');
    const look = await open(principalPage(agent));
    const button = look.get('button', 'Mint token');
    await button.focus();
    const { keyboard } = look.page;
    await keyboard.press('Enter');
    await keyboard.type('By hand');
    for (const key of ['Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Enter']) await keyboard.press(key);
    await look.get('heading', 'Store the key now').waitFor();
    const key = await textOf(look, 'Key');
    const stored = look.page.getByLabel('I stored it');
    while (!(await stored.evaluate((element) => element === element.ownerDocument.activeElement))) {
      await keyboard.press('Tab');
    }
    await keyboard.press('Space');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await look.page.getByRole('dialog').waitFor({ state: 'detached' });
    await button.and(look.page.locator(':focus')).waitFor();
    assert.equal((await test.server.as(key).get('/v1/folders')).status, 200);
  });

  it('names the field at fault, and mints with an end of one’s own or none', async () => {
    const agent = await test.server.host.principal('Careful', 'agent');
    const look = await open(principalPage(agent));
    await look.page.getByText('No tokens').waitFor();
    await look.judge('a principal without anything');
    await look.get('button', 'Mint token').click();
    const submit = look.page.getByRole('dialog').getByRole('button', { name: 'Mint token' });
    await look.page.getByLabel('MCP').uncheck();
    await look.page.getByLabel('Expires').selectOption('custom');
    await look.page.getByLabel('Last day').fill('2020-01-01');
    await look.page.getByText('Limit its rate').click();
    await look.page.getByLabel('Requests a minute (optional)').fill('often');
    await submit.click();
    for (const fault of [/^Enter a name/, /^Choose at least one/, /^Choose a day/, /^Enter a whole number/]) {
      await look.page.getByText(fault).waitFor();
    }
    await look.judge('the dialog with every fault');
    await look.page.getByLabel('MCP').check();
    await look.page.getByLabel('Expires').selectOption('never');
    await look.page.getByLabel('Requests a minute (optional)').fill('30');
    await mint(look, 'For ever');
    await confirmStored(look);
    await look.page.getByText('Never expires').waitFor();
    await look.page.getByText('30 requests a minute').waitFor();
  });

  it('tells active, expiring, expired and revoked tokens apart, in the dark too', async () => {
    const { host } = test.server;
    const agent = await host.principal('Many states', 'agent');
    const now = host.clock.now();
    await host.key(agent, ['mcp'], now + 30 * day);
    await host.key(agent, ['rest'], now + 3 * day);
    await host.key(agent, ['rest'], now + 1000);
    const look = await open(principalPage(agent));
    await look.page.emulateMedia({ colorScheme: 'dark' });
    for (const state of ['active', 'expires soon', 'expired']) {
      await look.page.getByText(state, { exact: true }).waitFor();
    }
    assert.equal(await look.page.getByRole('button', { name: 'Rotate test' }).count(), 2);
    await look.judge('tokens in the dark');
  });

  it('shows nothing to others: no entry in the menu, and one page for all addresses', async () => {
    const look = await test.open(editor, '~/trash');
    await look.get('link', 'Trash').waitFor();
    assert.equal(await look.page.getByRole('link', { name: 'Access' }).count(), 0);
    const pages = new Set<string>();
    for (const rest of ['', '/groups', `/principals/${admin.id}`, '/principals/prn_none', '/groups/grp_none', '/x']) {
      await look.page.goto(test.addressOf(`~/access${rest}`));
      await look.get('heading', /does not exist, or you do not have access/).waitFor();
      pages.add(await look.page.getByRole('main').innerText());
    }
    assert.equal(pages.size, 1);
    await look.judge('not found');
    const other = await open('~/access/principals/prn_none');
    other.expect(404);
    await other.get('heading', /does not exist, or you do not have access/).waitFor();
  });

  it('adds a person with a link that is shown once, and leads them in', async () => {
    const look = await open('~/access');
    await look.get('button', 'Add person').click();
    const dialog = look.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await look.page.getByText('Enter a name.').waitFor();
    await look.page.getByLabel('Name', { exact: true }).fill('Newcomer');
    await look.page.getByLabel('Sign-in name (optional)').fill(editor.signInName);
    look.expect(409);
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await look.page.getByText(/only the command line can do this|Choose another name/).waitFor();
    await look.judge('a sign-in name that is taken');
    await look.page.getByLabel('Sign-in name (optional)').fill('newcomer@example.com');
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await look.get('heading', 'Send this link').waitFor();
    const link = await textOf(look, 'One-time link');
    await look.judge('the one-time link');
    await look.page.getByLabel('I sent or stored it').check();
    await look.get('button', 'Done').click();
    await look.get('link', 'Newcomer').waitFor();
    assert.equal(await look.page.getByRole('link', { name: 'Newcomer' }).count(), 1);
    const newcomer = await test.browser.person();
    await newcomer.page.goto(link);
    await newcomer.get('heading', 'Welcome, Newcomer').waitFor();
    assert.equal(await newcomer.page.getByLabel('You sign in as').inputValue(), 'newcomer@example.com');
  });

  it('disables and enables, signs out, and protects the last admin', async () => {
    const guest = await test.person('Guest', { handbook: 'reader' });
    await test.sessionOf(guest);
    const look = await open(principalPage(guest.id));
    await look.page.getByRole('list', { name: 'Browsers' }).waitFor();
    await look.judge('a person');
    await look.get('button', 'Sign out everywhere').click();
    await look.get('button', 'Sign out').click();
    await look.page.getByText('Signed in nowhere.').waitFor();
    await look.get('button', 'Make sign-in link').click();
    await look.get('button', 'Make link').click();
    await look.get('heading', 'Send this link').waitFor();
    await look.page.getByLabel('I sent or stored it').check();
    await look.get('button', 'Done').click();
    await look.get('button', 'Disable').click();
    await look.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await look.get('button', 'Enable').waitFor();
    assert.equal((await guest.rest.get('/v1/folders')).status, 401);
    assert.equal(await look.get('button', 'Mint token').isDisabled(), true);
    await look.judge('a disabled person');
    await look.get('button', 'Enable').click();
    await look.page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click();
    await look.get('button', 'Disable').waitFor();
    assert.equal((await guest.rest.get('/v1/folders')).status, 200);

    const own = await open(principalPage(admin.id));
    own.expect(409);
    await own.get('button', 'Disable').click();
    await own.page.getByText('This is you').waitFor();
    await own.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await own.page.getByText(/^Nobody would be left who can sign in/).waitFor();
    await own.judge('the last admin');
  });

  it('shows why a place is reached, through groups in groups, and adds and removes grants', async () => {
    const { host } = test.server;
    const agent = await host.principal('Reaching', 'agent');
    const team = await host.group('Team', person(agent));
    const company = await host.group('Company', group(team));
    await host.grant('editor', group(company), 'handbook');
    const look = await open(principalPage(agent));
    const reach = look.page.getByRole('list', { name: 'Effective reach' });
    await reach.getByText('Team › Company › editor on this folder, granted by').waitFor();
    assert.equal(
      await reach.getByRole('link', { name: 'handbook/' }).getAttribute('href'),
      '/console/w/acme/f/handbook',
    );
    assert.match(
      (await look.page.getByRole('list', { name: 'Groups' }).innerText()).replaceAll(/\s+/g, ' '),
      /Team Remove Company through Team/,
    );
    await look.get('button', 'Add grant').click();
    await look.page.getByLabel('On', { exact: true }).selectOption('document');
    await look.page.getByLabel('Document', { exact: true }).fill('handbook/nowhere.md');
    look.expect(404);
    const add = look.page.getByRole('dialog').getByRole('button', { name: 'Add grant' });
    await add.click();
    await look.page.getByText('There is no such document.').waitFor();
    await look.judge('a grant on nothing');
    await look.page.getByLabel('Document', { exact: true }).fill('handbook/travel.md');
    await add.click();
    await reach.getByText('Comes already from').waitFor();
    await look.get('button', 'Remove reader on handbook/travel.md').click();
    await look.get('button', 'Remove grant').click();
    await look.page.getByText('No grants of its own').waitFor();
    await look.judge('a principal with groups');
  });

  it('nests groups, says what a change does before it is made, and refuses a circle', async () => {
    const { host } = test.server;
    const staff = await host.group('Staff');
    const crew = await host.group('Crew', person(editor.id));
    await host.grant('approver', group(staff), 'plans');
    const look = await open('~/access/groups');
    await look.get('button', 'Add group').click();
    await look.page.getByLabel('Name', { exact: true }).fill('Board');
    await look.page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click();
    await look.page.getByText('No members').waitFor();
    await look.page.goto(test.addressOf(`~/access/groups/${staff}`));
    const choose = async (name: string): Promise<void> => {
      await look.get('button', 'Add member').click();
      await look.page.getByLabel('Kind').selectOption('group');
      await look.page.getByLabel('Find by name').fill(name);
      await look.page.getByRole('radio', { name }).check();
      await look.get('button', 'Continue').click();
    };
    await choose('Crew');
    const impact = look.page.getByRole('list', { name: 'Changes of access' });
    assert.match((await impact.innerText()).replaceAll(/\s+/g, ' '), /plans no access → approver Editor/);
    await look.judge('what a membership gives');
    await look.page.getByRole('dialog').getByRole('button', { name: 'Add to group' }).click();
    await look.page.getByRole('list', { name: 'Members' }).getByText('Crew').waitFor();
    assert.equal((await editor.rest.get('/v1/grants?scope_type=folder&scope_id=plans')).status, 200);

    await look.page.goto(test.addressOf(`~/access/groups/${crew}`));
    look.expect(409);
    await choose('Staff');
    await look.page.getByText('The group would contain itself. Groups nest, but never in a circle.').waitFor();
    assert.equal(await look.page.getByRole('dialog').getByRole('button', { name: 'Add to group' }).isDisabled(), true);
    await look.get('button', 'Cancel').click();

    await look.page.goto(test.addressOf('~/access/groups'));
    await look.get('button', 'Show groups in Staff').click();
    await look.page.getByRole('list', { name: 'Groups in Staff' }).getByText('Crew').waitFor();
    await look.judge('the tree of groups');
    await look.page.goto(test.addressOf(`~/access/groups/${staff}`));
    await look.get('button', 'Remove Crew').click();
    assert.match((await impact.innerText()).replaceAll(/\s+/g, ' '), /plans approver → no access Editor/);
    await look.get('button', 'Remove from group').click();
    await look.page.getByText('No members').waitFor();
    assert.equal((await editor.rest.get('/v1/grants?scope_type=folder&scope_id=plans')).status, 404);
  });

  it('keeps hostile names inert and within the window of a phone', async () => {
    const { host } = test.server;
    const agent = await host.principal(hostile, 'agent');
    const crowd = await host.group(hostile, person(agent));
    await host.key(agent);
    await host.grant('reader', group(crowd), 'handbook');
    const look = await open('~/access');
    await look.page.setViewportSize({ width: 320, height: 640 });
    await look.page.getByRole('link', { name: hostile }).waitFor();
    await look.judge('a hostile name in the list');
    await look.page.goto(test.addressOf(principalPage(agent)));
    await look.page.getByRole('heading', { level: 1 }).getByText(hostile).waitFor();
    await look.page.getByText('reader on this folder').waitFor();
    await look.judge('a hostile name on a phone');
    await look.get('button', 'Mint token').click();
    await look.page.getByRole('dialog').waitFor();
    await look.judge('the dialog on a phone');
    await mint(look, hostile, { isForRest: true });
    await look.judge('the key on a phone');
    await confirmStored(look);
    await look.page.goto(test.addressOf(`~/access/groups/${crowd}`));
    await look.get('button', `Remove ${hostile}`).click();
    await look.page.getByRole('list', { name: 'Changes of access' }).waitFor();
    await look.judge('the impact on a phone');
  });

  it('says that the service cannot answer, and never shows an empty list instead', async () => {
    const agent = await test.server.host.principal('Far away', 'agent');
    const look = await open('~/f/');
    look.expect(503);
    const refusal = { code: 'UNAVAILABLE', message: 'Not now.', request_id: 'req_00000000000000000000' };
    await look.page.route('**/tokens?*', (route) =>
      route.fulfill({ status: 503, json: { error: refusal }, headers: { 'Retry-After': '0' } }),
    );
    await look.page.goto(test.addressOf(principalPage(agent)));
    await look.get('heading', 'The service cannot answer at the moment').waitFor();
    assert.equal(await look.page.getByText('No tokens').count(), 0);
    await look.judge('tokens that cannot be read');
    await look.page.unroute('**/tokens?*');
    await look.get('button', 'Try again').click();
    await look.page.getByText('No tokens').waitFor();
  });

  const statusOnRest = async (key: string): Promise<number> =>
    (await test.server.as(key).get('/v1/documents/handbook/travel.md')).status;

  const principalPage = (id: string): string => `~/access/principals/${id}`;

  /** A page of the admin: one session is enough for all of them. */
  async function open(address: string): Promise<WatchedPage> {
    const look = new WatchedPage(await browser.newPage());
    await look.page.goto(test.addressOf(address));
    return look;
  }

  /** Mints by the dialog that is open. @returns the key that is shown once */
  async function mint(
    look: WatchedPage,
    name: string,
    { isForRest = false, isForGit = false }: { readonly isForRest?: boolean; readonly isForGit?: boolean } = {},
  ): Promise<string> {
    await look.page.getByLabel('Name', { exact: true }).fill(name);
    if (isForRest) await look.page.getByLabel('REST API').check();
    if (isForGit) await look.page.getByRole('checkbox', { name: 'Git' }).check();
    await look.page.getByRole('dialog').getByRole('button', { name: 'Mint token' }).click();
    await look.get('heading', 'Store the key now').waitFor();
    return textOf(look, 'Key');
  }

  async function confirmStored(look: WatchedPage): Promise<void> {
    await look.page.getByLabel('I stored it').check();
    await look.get('button', 'Done').click();
    await look.page.getByRole('dialog').waitFor({ state: 'detached' });
  }
});

const person = (id: string) => ({ type: 'principal', id }) as const;

const group = (id: string) => ({ type: 'group', id }) as const;
