import assert from 'node:assert/strict';
import { runCommand } from '../../../lib/commands/carrier/run-command.js';
import { goodPassword } from '../../support/signin/open-sign-in.js';
import { Browser, readForm } from '../../support/oauth/browser.js';
import { OAuthClient } from '../../support/oauth/client.js';
import { openOAuthServer, type Member, type OAuthServer } from '../../support/oauth/server.js';

describe('A person’s consents to applications', function () {
  let server: OAuthServer;
  let person: Member;
  let client: OAuthClient;
  beforeEach(async () => {
    server = await openOAuthServer();
    person = await server.person();
    client = await OAuthClient.register(server, { client_name: 'Field notes' });
  });
  afterEach(() => server.close());

  it('end with a new password, since a stranger may have given them; and that is on record', async () => {
    const tokens = [await letIn(), await letIn()];
    const other = await letIn(await server.person('other'));
    await choosePassword();
    assert.deepEqual(tokens.map(isOpen), [false, false]);
    assert.ok(isOpen(other));
    assert.deepEqual(
      ends().map(({ record }) => [record.principal, record.interface, record.outcome]),
      [
        [person.principalId, 'console', 'done'],
        [person.principalId, 'console', 'done'],
      ],
    );
  });

  it('end with a new password, too, where the workspace cannot be read just now', async () => {
    const elsewhere = await server.server.addWorkspace();
    const there = await elsewhere.host.principal('Ada there');
    server.join(elsewhere.host.workspace.name, there);
    const { access_token: token } = await client.signIn(
      server.browserOf(person),
      {},
      { workspace: elsewhere.host.workspace.name },
    );
    const find = server.host.service.find.bind(server.host.service);
    Object.defineProperty(server.host.service, 'find', {
      value: (name: string) => {
        if (name !== 'acme') throw new Error('It cannot be read.');
        return find(name);
      },
      configurable: true,
    });
    await choosePassword();
    Reflect.deleteProperty(server.host.service, 'find');
    assert.ok(!isOpen(token));
    const recorded = () =>
      elsewhere.host.workspace.journal.reader.audit.after(0, 1000).filter(({ action }) => action === 'consent.end');
    assert.equal(recorded().length, 0);
    await server.host.service.journal.settleAll();
    await server.host.service.journal.settleAll();
    assert.equal(recorded().length, 1, 'it is recorded when the workspace can be read, and once');
  });

  it('are shown to them, each to be ended, and no other person sees or ends it', async () => {
    const [first, second] = [await letIn(), await letIn()];
    const idOf = (token: string): string => server.face.readAccessToken(token)?.id ?? '';
    const browser = server.browserOf(person);
    const page = await browser.get(`${server.url}/signin/sessions`);
    assert.match(page.text, /Field notes[\s\S]*reads and writes in acme, answers to 127\.0\.0\.1:7777/);
    for (const id of [idOf(first), idOf(second)]) assert.ok(page.text.includes(`name="consent" value="${id}"`));

    const stranger = server.browserOf(await server.person('eve'));
    const theirs = await stranger.get(`${server.url}/signin/sessions`);
    assert.doesNotMatch(theirs.text, /Field notes/);
    const { csrf = '' } = readForm(theirs.text);
    await stranger.post(`${server.url}/signin/sessions`, { csrf, consent: idOf(first) });
    assert.ok(isOpen(first));

    const sent = { csrf: readForm(page.text)['csrf'] ?? '', consent: idOf(first) };
    const forged = await browser.post(`${server.url}/signin/sessions`, { ...sent, csrf });
    assert.equal(forged.status, 400);
    assert.ok(isOpen(first));
    const id = idOf(first);
    const answer = await browser.post(`${server.url}/signin/sessions`, sent);
    assert.equal(answer.location, `${server.url}/signin/sessions`);
    assert.deepEqual([isOpen(first), isOpen(second)], [false, true]);
    const after = await browser.get(`${server.url}/signin/sessions`);
    assert.ok(!after.text.includes(id) && after.text.includes(idOf(second)));
    assert.equal(ends().length, 1);
    await browser.post(`${server.url}/signin/sessions`, { ...sent, csrf: readForm(after.text)['csrf'] ?? '' });
    assert.equal(ends().length, 1, 'again changes nothing');
  });

  it('are named to the admin who makes a link or ends sessions, as far as they are in force', async () => {
    const hint = async (command: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> => {
      const answer = await runCommand(
        { command, fields: { principal: person.principalId, ...fields }, workspace: 'acme' },
        {
          host: server.host.service,
          server: null,
          address: server.url,
          onProgress: () => Promise.resolve(),
          signal: new AbortController().signal,
          onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
        },
      );
      return 'result' in answer ? (answer.result as { hint?: unknown }).hint : answer;
    };
    assert.equal(await hint('link', {}), undefined);
    assert.equal(await hint('sessions', { end: true }), undefined);
    const token = await letIn();
    assert.match(String(await hint('link', {})), /ends what applications may do as them \(here: 1\)/);
    assert.match(String(await hint('sessions', { end: true })), /\(here: 1\); `cartulary consent revoke-all prn_/);
    assert.ok(isOpen(token), 'a hint ends nothing');
    await choosePassword();
    assert.equal(await hint('link', {}), undefined);
  });

  const letIn = async (who = person): Promise<string> => (await client.signIn(server.browserOf(who))).access_token;

  const isOpen = (token: string): boolean => server.face.readAccessToken(token) !== undefined;

  const ends = () => server.server.records().filter(({ record }) => record.action === 'consent.end');

  /** Chooses a password by a new link. */
  async function choosePassword(): Promise<void> {
    const { secret } = server.host.service.people.links.issue({ workspace: 'acme', ...person });
    const browser = new Browser();
    const page = await browser.get(`${server.url}/signin/link/${secret}`);
    const sent = { ...readForm(page.text), password: goodPassword, again: goodPassword };
    assert.equal((await browser.post(`${server.url}/signin/link`, sent)).status, 303);
  }
});
