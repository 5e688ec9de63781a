import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { authenticate } from '../../lib/access/authenticate.js';
import { KnownKeys } from '../../lib/access/known-keys.js';
import { parseKey } from '../../lib/access/secret.js';
import { Service } from '../../lib/app/service.js';
import type { Refusal } from '../../lib/domain/refusal.js';
import { archiveAudit } from '../../lib/operations/audit/archive-audit.js';
import { backUpWorkspace } from '../../lib/operations/workspaces/back-up-workspace.js';
import { perform } from '../../lib/operations/perform.js';
import { backupFiles, describeFile } from '../../lib/backup/backup-manifest.js';
import { replayHistory } from '../../lib/integrity/replay-history.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { Actor, refusalOf } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../support/store/service.js';
import { dumpContent, makeHistory } from '../support/store/history.js';
import { verifyAudit } from '../support/store/verify-audit.js';

/** scrypt's N. It is small, since its cost is not under test. */
const cost = 2 ** 10;
const passphrase = 'correct horse battery staple';

describe('backup and restore', () => {
  let test: TestService;
  let work: string;
  let opened: Service[];

  beforeEach(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-backup-'));
    opened = [];
    test = await openTestService({ store: 'disk' });
  });

  afterEach(async () => {
    for (const service of opened) await service.close();
    await test.close();
    await rm(work, { recursive: true, force: true });
  });

  it('lets people sign in to it as before, and confuses no person with another of the same name', async () => {
    const { people } = test.service;
    const [ada, grace] = [await test.principal('Ada'), await test.principal('Grace')];
    people.identities.provide('acme', ada, 'Ada', 'ada@example.org');
    people.identities.provide('acme', grace, 'Grace', 'grace');
    await test.service.addWorkspace('elsewhere');
    people.identities.provide('elsewhere', 'prn_taken', 'Eve', 'lin@example.org');
    const lin = await test.principal('Lin');
    people.identities.provide('acme', lin, 'Lin', 'lin@example.org');
    const taken = people.links.issue({ workspace: 'elsewhere', principalId: 'prn_taken' });
    people.links.use(taken.secret, await people.passwords.hash('the password of Eve'));
    const link = people.links.issue({ workspace: 'acme', principalId: ada });
    people.links.use(link.secret, await people.passwords.hash('four blue heron stairs'));
    const backup = await backUp();
    const other = await open(join(work, 'restored'));
    await other.addWorkspace('other');
    const stranger = other.people.identities.provide('other', 'prn_stranger', 'Grace H.', 'grace');
    await other.restore({ backup, passphrase }, operator);
    const found = other.people.identities.findOf('acme', ada);
    assert.equal(found?.signInName, 'ada@example.org');
    assert.ok(await other.people.passwords.matches('four blue heron stairs', found.passwordHash));
    assert.equal(other.people.identities.findOf('acme', grace), undefined);
    // Who had still to join has to do so here too, and brings no password along.
    const joining = other.people.identities.findOf('acme', lin);
    assert.deepEqual([joining?.signInName, joining?.passwordHash], ['lin@example.org', null]);
    assert.deepEqual(other.people.identities.membershipsOf(joining?.id ?? '', null), []);
    assert.deepEqual(
      other.people.identities.heldBy(stranger.id).map(({ workspace }) => workspace),
      ['other'],
    );
  });

  it('keeps keys working, and continues the same audit chain under the same signature', async () => {
    const { id, key } = await test.person('editor');
    await makeHistory(test);
    const restored = await restore(await backUp());
    const parsed = parseKey(key) ?? assert.fail();
    const authentication = authenticate(
      new KnownKeys().at(restored.journal.reader, 0),
      parsed,
      'rest',
      test.clock.now(),
    );
    assert.ok(authentication.accepted && authentication.principal.id === id);
    assert.equal(restored.signer.publicKey, test.workspace.signer.publicKey);
    const actor = new Actor(restored, id);
    await actor.create('after.md', 'written after the restore');
    assert.equal(await actor.read('after.md'), 'written after the restore');
    const verdict = (await perform(restored, operator, verifyAudit, {})).result;
    assert.ok(verdict.sound && verdict.records > test.workspace.journal.state.chain.seq);
  });

  it('writes a bundle that git verifies and clones', async () => {
    await makeHistory(test);
    const folder = await backUp();
    const bundle = join(folder, 'content.bundle');
    execFileSync('git', ['-C', join(test.dataFolder ?? '', 'acme', 'content.git'), 'bundle', 'verify', '-q', bundle], {
      stdio: 'pipe',
    });
    const clone = join(work, 'clone');
    execFileSync('git', ['clone', '-q', bundle, clone], { stdio: 'pipe' });
    assert.equal(await readFile(join(clone, 'said.html'), 'utf8'), '<p>');
    const head = execFileSync('git', ['-C', clone, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { commit: string };
    assert.equal(head, manifest.commit);
  });

  it('takes archives of the audit chain along', async () => {
    await makeHistory(test);
    const before = { seq: 20 };
    await perform(test.workspace, operator, archiveAudit, { before });
    const folder = await backUp();
    assert.equal((await readdir(join(folder, 'audit'))).length, 1);
    const verdict = (await perform(await restore(folder), operator, verifyAudit, {})).result;
    assert.ok(verdict.sound);
  });

  it('backs an empty workspace up', async () => {
    const restored = await restore(await backUp());
    assert.equal(restored.journal.state.head, null);
    const actor = new Actor(restored, operator.principalId);
    await actor.create('first.md', 'x');
    assert.deepEqual(await actor.list(), ['first.md']);
  });

  it('is of one moment, however much is written while it is taken', async () => {
    const person = await makeHistory(test);
    let written = 0;
    /** Writes until the copy is made. The check in its thread then looks at nothing else. */
    const write = async (lane: string, folder: string): Promise<void> => {
      for (let round = 0; !existsSync(join(folder, backupFiles.sealed)); round += 1) {
        const location = `load/${lane}/${round % 9}.md`;
        if (round < 9) await person.create(location, `${lane} ${round} ${'word '.repeat(200)}`);
        else if (round % 7 === 0)
          await person
            .rename(location, `${round % 9}.md2`)
            .then(() => person.rename(`${location}2`, `${round % 9}.md`));
        else await person.update(location, `${lane} ${round} ${'word '.repeat(200)}`);
        written += 1;
        // The backup needs a processor, too, and each version is replayed below.
        await delay(5);
      }
    };
    const folders: string[] = [];
    for (const name of ['one', 'two']) {
      const before = written;
      const folder = join(work, name);
      const writers = [0, 1].map((lane) => write(`${name}-${lane}`, folder));
      folders.push(await backUp(folder));
      assert.ok(written > before + 2, 'writes went on while it was taken');
      await Promise.all(writers);
    }
    for (const [index, folder] of folders.entries()) {
      const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
        commit: string;
        audit: { seq: number; hash: string };
      };
      const restored = await restore(folder, join(work, `restored-${index}`));
      assert.equal(restored.journal.state.head, manifest.commit);
      // The history shows the original at that commit, apart from its rows.
      const scratch = test.workspace.journal.sidecar.openScratch();
      const { problems } = await replayHistory(test.workspace.repository, manifest.commit, scratch);
      const { labels: _, storedBytes: __, ...then } = dumpContent(test.dataFolder ?? '', 'sidecar.sqlite.scratch');
      scratch.close();
      assert.deepEqual(problems, []);
      const { labels: ___, storedBytes: ____, ...now } = dumpContent(join(work, `restored-${index}`));
      assert.deepEqual(now, then);
      const known = [manifest.audit];
      const verdict = (await perform(test.workspace, operator, verifyAudit, { known })).result;
      assert.ok(verdict.sound, 'the original chain still has the head that the manifest names');
    }
  }).timeout(30_000);

  it('is recorded in the audit log, and refused to everyone except admins', async () => {
    const { id } = await test.person('editor');
    const refusal = await refusalOf(
      perform(test.workspace, { ...operator, principalId: id }, backUpWorkspace, {
        folder: join(work, 'backup'),
        passphrase,
        cost,
      }),
    );
    assert.equal(refusal.code, 'NOT_FOUND');
    assert.equal(existsSync(join(work, 'backup')), false);
    const restored = await restore(await backUp());
    const actions = (workspace: Workspace) =>
      workspace.journal.reader.audit.after(0, 1000).map(({ action, code }) => `${action} ${code}`);
    assert.ok(actions(test.workspace).includes('workspace.backup NOT_FOUND'));
    assert.equal(actions(test.workspace).at(-1), 'workspace.backup null');
    assert.equal(actions(restored).at(-1), 'workspace.restore null');
  });

  it('refuses a folder with content, and touches none of it', async () => {
    await writeFile(join(work, 'mine.txt'), 'mine');
    const refusal = await refusalOf(backUp(work));
    assert.equal(refusal.details?.reason, 'folder_not_empty');
    assert.deepEqual(await readdir(work), ['mine.txt']);
  });

  it('makes one of two backups that begin in a folder at once, and leaves that one whole', async () => {
    await makeHistory(test);
    const folder = join(work, 'backup');
    await mkdir(folder);
    const [first, second] = await Promise.allSettled([backUp(folder), backUp(folder)]);
    const outcomes = [first, second].map((each) =>
      each.status === 'fulfilled' ? 'done' : (each.reason as Refusal).details?.reason,
    );
    assert.deepEqual(new Set(outcomes), new Set(['done', 'folder_not_empty']));
    const restored = await restore(folder);
    assert.equal(restored.journal.state.head, test.workspace.journal.state.head);
  });

  it('never replaces an existing workspace', async () => {
    await makeHistory(test);
    const folder = await backUp();
    const before = dumpContent(test.dataFolder ?? '');
    const refusal = await refusalOf(test.service.restore({ backup: folder, passphrase }, operator));
    assert.equal(refusal.details?.reason, 'name_taken');
    assert.deepEqual(dumpContent(test.dataFolder ?? ''), before);
    assert.equal(test.service.find('acme'), test.workspace);
  });

  it('reports what is missing where there is no git program', async () => {
    await test.close();
    test = await openTestService({ store: 'disk-without-git' });
    await makeHistory(test);
    const refusal = await refusalOf(backUp());
    assert.equal(refusal.details?.reason, 'git_missing');
    assert.match(refusal.message, /git program, 2\.34 or newer, is needed to make a bundle/);
    assert.equal(existsSync(join(work, 'backup')), false);
  });

  it('is refused for a workspace in memory', async () => {
    await test.close();
    test = await openTestService();
    assert.equal((await refusalOf(backUp())).details?.reason, 'no_data_folder');
  });

  async function backUp(folder = join(work, 'backup')): Promise<string> {
    await perform(test.workspace, operator, backUpWorkspace, { folder, passphrase, cost });
    return folder;
  }

  async function open(dataFolder: string): Promise<Service> {
    const service = await Service.open({
      dataFolder,
      git: 'auto',
      clock: test.clock,
      randomness: makeTestRandomness('restored'),
      onFault: () => undefined,
    });
    opened.push(service);
    return service;
  }

  async function restore(backup: string, dataFolder = join(work, 'restored')): Promise<Workspace> {
    return (await open(dataFolder)).restore({ backup, passphrase }, operator);
  }
});

describe('a backup that was tampered with', () => {
  let test: TestService;
  let work: string;
  let folder: string;
  /** The service into which it is not restored. */
  let other: Service;

  before(async () => {
    work = await mkdtemp(join(tmpdir(), 'cartulary-backup-'));
    folder = join(work, 'backup');
    test = await openTestService({ store: 'disk' });
    await makeHistory(test);
    await perform(test.workspace, operator, archiveAudit, { before: { seq: 20 } });
    await perform(test.workspace, operator, backUpWorkspace, { folder, passphrase, cost });
    other = await Service.open({
      dataFolder: join(work, 'restored'),
      git: 'auto',
      clock: test.clock,
      randomness: makeTestRandomness('restored'),
      onFault: () => undefined,
    });
  });

  after(async () => {
    await other?.close();
    await test?.close();
    await rm(work, { recursive: true, force: true });
  });

  for (const name of ['content.bundle', 'sidecar.sqlite', 'service.sealed', 'manifest.json', 'audit']) {
    it(`is refused where it was ${name}, and says what is wrong`, async () => {
      const path =
        name === 'audit' ? join(folder, name, (await readdir(join(folder, name)))[0] ?? '') : join(folder, name);
      const whole = await readFile(path);
      const changed = Buffer.from(whole);
      const middle = Math.floor(whole.length / 2);
      changed[middle] = (changed[middle] ?? 0) ^ 1;
      for (const damage of [changed, whole.subarray(0, -2), Buffer.concat([whole, Buffer.from('x')]), null]) {
        const { message } = await refusalWith({ [path]: damage });
        assert.ok(message.includes(name), message);
      }
    });
  }

  it('is refused when a file and its entry in the manifest were both changed', async () => {
    const copy = join(work, 'copy');
    await cp(folder, copy, { recursive: true });
    await appendFile(join(copy, 'sidecar.sqlite'), Buffer.alloc(4096));
    const manifest = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8')) as {
      files: { name: string }[];
    };
    for (const [index, { name }] of manifest.files.entries()) manifest.files[index] = await describeFile(copy, name);
    const refusal = await refusalWith({
      [join(folder, 'sidecar.sqlite')]: await readFile(join(copy, 'sidecar.sqlite')),
      [join(folder, 'manifest.json')]: Buffer.from(JSON.stringify(manifest)),
    });
    assert.match(
      refusal.message,
      /service\.sealed does not open: the passphrase is another one, or it or the manifest was changed/,
    );
  });

  it('does not open with another passphrase either', async () => {
    const sealed = await readFile(join(folder, 'service.sealed'), 'utf8');
    assert.doesNotMatch(sealed, /audit:acme/);
    const refusal = await refusalWith({}, 'another');
    assert.match(refusal.message, /the passphrase is another one/);
  });

  it('is restored when its files are as they were', async () => {
    const restored = await other.restore({ backup: folder, passphrase }, operator);
    assert.equal(restored.journal.state.head, test.workspace.journal.state.head);
  });

  /** Restores the backup with some of its files changed, and puts them back. @returns the refusal */
  async function refusalWith(changed: Readonly<Record<string, Buffer | null>>, words = passphrase): Promise<Refusal> {
    const whole = new Map<string, Buffer>();
    try {
      for (const [path, bytes] of Object.entries(changed)) {
        whole.set(path, await readFile(path));
        if (bytes === null) await rm(path);
        else await writeFile(path, bytes);
      }
      const refusal = await refusalOf(other.restore({ backup: folder, passphrase: words }, operator));
      assert.equal(refusal.details?.reason, 'backup_damaged');
      const left = (await readdir(join(work, 'restored'))).filter((entry) => /acme/.test(entry));
      assert.deepEqual(left, []);
      return refusal;
    } finally {
      for (const [path, bytes] of whole) await writeFile(path, bytes);
    }
  }
});
