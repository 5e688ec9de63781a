import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseKey } from '../../lib/access/secret.js';
import { mintCredential, revokeCredential } from '../../lib/operations/credentials/change-credential.js';
import { perform } from '../../lib/operations/perform.js';
import { git, runClient, type GitRun } from '../support/git/git-client.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';
import { operator } from '../support/store/service.js';

describe('A person who has nothing but git', function () {
  this.timeout(60_000);
  let server: RemoteTestServer;
  let ada: RemotePerson;

  before(async () => {
    server = await openRemoteServer();
    ada = await server.cloner('approver');
    const rest = server.as(ada.key);
    await rest.create('handbook/travel.md', 'By train.\n');
    await rest.put('/v1/documents/handbook/travel.md', { content: 'By night train.\n' });
    await rest.create('handbook/trips/oslo.md', 'Oslo\n');
  });
  after(() => server.close());

  it('lets git read the key from a file: it is in no argument, no address and no clone, and pulls go on', async () => {
    await writeFile(join(server.folder, 'key'), `${ada.key}\n`, { mode: 0o600 });
    const helper = '!f() { echo username=acme; echo "password=$(cat ~/key)"; }; f';
    await git(server.folder, ['clone', '-q', '-c', `credential.helper=${helper}`, server.url(), 'by-helper']);
    const clone = join(server.folder, 'by-helper');
    assert.equal((await readFile(join(clone, '.git/config'), 'utf8')).includes(ada.key), false);
    await server.as(ada.key).create('later.md', 'later');
    await git(clone, ['pull', '-q', '--ff-only'], { HOME: server.folder });
    assert.equal(await readFile(join(clone, 'later.md'), 'utf8'), 'later');
  });

  it('keeps the key in a credential store, by the address that minting shows', async () => {
    const address = server.url().replace('http://', 'http://acme@');
    const store = `store --file=${join(server.folder, 'stored')}`;
    await writeFile(
      join(server.folder, 'stored'),
      address.replace('acme@', `acme:${ada.key}@`).replace('/git/acme', ''),
    );
    await git(server.folder, ['clone', '-q', '-c', `credential.helper=${store}`, address, 'by-store']);
    // git asks its helper to forget a password that is refused, and only then.
    assert.ok((await readFile(join(server.folder, 'stored'), 'utf8')).includes(ada.key));
  });

  it('sends the key as a bearer token from the environment', async () => {
    const environment = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Bearer ${ada.key}`,
    };
    const listed = await git(server.folder, ['ls-remote', server.url()], environment);
    assert.equal(listed, `${server.head}\tHEAD\n${server.head}\trefs/heads/main`);
  });

  it('clones only what is asked for: one commit, one branch, or commits without their contents', async () => {
    await git(server.folder, ['clone', '-q', '--depth', '1', ada.url, 'shallow']);
    const shallow = join(server.folder, 'shallow');
    assert.equal(await git(shallow, ['rev-list', '--count', 'HEAD']), '1');
    await git(shallow, ['fetch', '-q', '--unshallow']);
    assert.ok(Number(await git(shallow, ['rev-list', '--count', 'HEAD'])) >= 3);

    await git(server.folder, ['clone', '-q', '--single-branch', '--branch', 'main', `${ada.url}.git`, 'single']);
    assert.equal(
      await git(join(server.folder, 'single'), ['branch', '-r']),
      '  origin/HEAD -> origin/main\n  origin/main',
    );

    await git(server.folder, ['clone', '-q', '--filter=blob:none', ada.url, 'partial']);
    const partial = join(server.folder, 'partial');
    const lacking = await git(partial, ['rev-list', '--objects', '--missing=print', '--all']);
    assert.match(lacking, /^\?[0-9a-f]{40}$/m);
    assert.equal(await git(partial, ['show', 'HEAD~1:handbook/travel.md']), 'By night train.');
  });

  it('is told in one sentence that a key does not open git, whatever is wrong with it', async () => {
    const revoked = await server.host.key(ada.id, ['git']);
    const credentialId = parseKey(revoked)?.credentialId ?? '';
    await perform(server.host.workspace, operator, revokeCredential, { credentialId });
    const expired = await server.host.key(ada.id, ['git'], server.host.clock.now() + 1);
    server.host.clock.advance(1);
    const keys = [
      'nonsense',
      revoked,
      await server.host.key(ada.id, ['rest', 'mcp']),
      ada.key.replace('ck_acme_', 'ck_other_'),
      expired,
    ];
    for (const key of keys) {
      const refused = await runClient(server.folder, ['clone', '-q', server.url(key), 'refused']);
      assert.equal(
        seen(refused),
        "128 remote: A valid key for git is required. Give it as the password, with any user name.\nfatal: Authentication failed for 'URL'\n",
      );
    }
  });

  it('is told the same of a workspace that is not there, of another one, and of one that shares nothing', async () => {
    const stranger = await server.cloner(null);
    const urls = [stranger.url, server.url(ada.key, 'absent'), server.url(stranger.key, 'absent')];
    for (const url of urls) {
      assert.equal(
        seen(await runClient(server.folder, ['clone', '-q', url, 'refused'])),
        "128 remote: There is nothing here that this key can reach.\nfatal: repository 'URL' not found\n",
      );
    }
  });

  it('who may read less gets a new history, is told so, and keeps what was not pushed', async () => {
    const ben = await server.cloner('editor', 'handbook/trips');
    const grantee = { type: 'principal', id: ben.id } as const;
    await server.host.grant('reader', grantee, 'handbook');
    await git(server.folder, ['clone', '-q', ben.url, 'narrowed']);
    const clone = join(server.folder, 'narrowed');
    await writeFile(join(clone, 'handbook/trips/rome.md'), 'Rome\n');
    await git(clone, ['add', '.']);
    await git(clone, ['commit', '-q', '-m', 'Not pushed']);
    await server.host.revoke('reader', grantee, 'handbook');
    const pulled = await runClient(clone, ['pull', '--ff-only']);
    assert.equal(pulled.code, 128);
    assert.match(
      pulled.stderr,
      /^remote: The history of this repository has started over, or your clone is of another one\.\s*$/m,
    );
    assert.match(pulled.stderr, /^remote: .*git fetch && git reset --hard origin\/main\s*$/m);
    await git(clone, ['pull', '-q', '--rebase']);
    assert.equal(await git(clone, ['ls-files']), 'handbook/trips/oslo.md\nhandbook/trips/rome.md');
    await git(clone, ['push', '-q']);
    assert.equal((await server.as(ada.key).get('/v1/files/handbook/trips/rome.md')).text, 'Rome\n');
    await git(clone, ['fetch', '-q']);
    assert.equal(await git(clone, ['rev-parse', 'origin/main']), await git(clone, ['rev-parse', 'HEAD']));
  });

  it('cannot pull any more once the key is revoked, and keeps what was cloned', async () => {
    const key = await server.host.key(ada.id, ['git']);
    await git(server.folder, ['clone', '-q', server.url(key), 'kept']);
    const credentialId = parseKey(key)?.credentialId ?? '';
    await perform(server.host.workspace, operator, revokeCredential, { credentialId });
    const clone = join(server.folder, 'kept');
    const pulled = await runClient(clone, ['pull', '-q']);
    assert.match(seen(pulled), /^1 remote: A valid key for git is required.*\nfatal: Authentication failed/);
    assert.equal(await git(clone, ['status', '--porcelain']), '');
  });

  it('is told how many seconds to wait when it asks too often', async () => {
    const minted = await perform(server.host.workspace, operator, mintCredential, {
      principalId: ada.id,
      name: 'slow',
      interfaces: ['git'],
      requestsPerMinute: 1,
    });
    const url = server.url(minted.result.secret ?? '');
    await runClient(server.folder, ['ls-remote', url]);
    const refused = await runClient(server.folder, ['ls-remote', url]);
    assert.match(refused.stderr, /^remote: Too many requests\. Wait \d+ seconds?\.$/m);
  });

  it('who opens the address in a browser, or asks for what is not served, gets a sentence', async () => {
    const headers = { Authorization: `Bearer ${ada.key}` };
    const textOf = async (path: string): Promise<string> => (await fetch(server.url() + path, { headers })).text();
    assert.equal(await textOf(''), 'This address is for git: git clone https://HOST/git/WORKSPACE\n');
    const old = await runClient(server.folder, ['clone', '-q', ada.url, 'refused'], { GIT_SMART_HTTP: '0' });
    assert.match(old.stderr, /^remote: This repository is served by the smart HTTP protocol alone\./m);
    assert.equal(old.code, 128);
  });
});

/** What a person sees, without the names of folders and addresses. */
const seen = ({ code, stderr }: GitRun): string =>
  `${String(code)} ${stderr.replaceAll(/http:\/\/\S+(?=')/g, 'URL').replaceAll(/^Cloning into.*\n/gm, '')}`;
