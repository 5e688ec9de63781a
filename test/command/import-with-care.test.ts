import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Policy } from '../../lib/domain/policy.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { perform } from '../../lib/operations/perform.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { runGit } from '../support/processes/run-git.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { bring, type Brought } from './bring.js';

describe('an import', function () {
  this.timeout(30_000);
  let folder: string;
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-import-'));
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    git('init', '-q', '-b', 'main');
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe('of a history', () => {
    it('leaves documents made by people alone, though they have the same bytes', async () => {
      await write('a.md', 'one');
      await write('b.md', 'one');
      await write('moved.md', 'one');
      commit('One');
      for (const name of ['a.md', 'b.md']) await ada.create(`wiki/${name}`, 'one');
      await ada.create('elsewhere/moved.md', 'one');
      await ada.move('elsewhere/moved.md', 'wiki', true);
      await write('a.md', 'two');
      git('rm', '-q', 'b.md', 'moved.md');
      commit('Two');
      const { updated, deleted, skipped } = await withHistory();
      assert.deepEqual([updated, deleted], [0, 0]);
      assert.deepEqual(skipped.map(({ path, reason }) => `${path} ${reason}`).toSorted(), [
        'a.md was changed in the repository, and here: it stays as it is here',
        'b.md was deleted in the repository, and was changed here: it stays',
        'moved.md was deleted in the repository, and was changed here: it stays',
      ]);
      assert.equal(await ada.read('wiki/a.md'), 'one');
      assert.equal(await outcomeOf(ada.read('wiki/b.md')), 'done');
    });

    it('continues after an import of one commit', async () => {
      await write('a.md', 'one');
      await write('b.md', 'one');
      commit('One');
      assert.equal((await bring(service, { directory: folder, ref: 'main' })).created, 2);
      await write('a.md', 'two');
      git('rm', '-q', 'b.md');
      commit('Two');
      const { updated, deleted, skipped } = await withHistory();
      assert.deepEqual([updated, deleted, skipped], [1, 1, []]);
    });

    const odd: readonly (readonly [string, string, string])[] = [
      ['author Grace <g@x.org>', 'committer Grace <g@x.org>', 'Grace <g@x.org>, at no known time'],
      ['author Grace <g@x.org> -86400 +0000', 'committer C <c@x.org> 1 +0000', 'Grace <g@x.org>, 1969-12-31T00:00:00Z'],
      ['author Grace <g@x.org>> 123 +0000', 'committer C <c@x.org> 1 +0000', 'Grace <g@x.org>, 1970-01-01T00:02:03Z'],
      ['author Grace', 'committer C <c@x.org> 1 +0000', 'Grace <unknown>, at no known time'],
      ['author <> 99999999999999999999', 'committer C <c@x.org> 1', 'unknown <unknown>, at no known time'],
      ['committer C <c@x.org> 1 +0000', 'x y', 'unknown <unknown>, at no known time'],
    ];

    it('is not stopped by any author line of a commit', async () => {
      await write('a.md', 'begin');
      commit('Begin');
      for (const [index, [author, committer]] of odd.entries()) {
        await write(`odd-${index}.md`, author);
        git('add', '-A');
        putCommit([author, committer], `Odd ${index}\n`);
      }
      const { created } = await withHistory();
      assert.equal(created, odd.length + 1);
      for (const [index, [, , expected]] of odd.entries()) {
        const { current } = await ada.record(`wiki/odd-${index}.md`);
        assert.equal(current.message?.split('\n')[2], expected);
      }
    });

    it('reads names and messages in the encoding of the commit, and in UTF-8 where that is unknown', async () => {
      await write('0.md', 'begin');
      commit('Begin');
      const inShiftJis = Buffer.from('93fa967b8cea', 'hex');
      const said: readonly (readonly [string | undefined, Buffer, string])[] = [
        ['ISO-8859-1', Buffer.from('Größe', 'latin1'), 'Größe'],
        ['Shift_JIS', inShiftJis, '日本語'],
        ['klingon', Buffer.from('Größe', 'utf8'), 'Größe'],
        [undefined, Buffer.from('Größe', 'latin1'), 'Gr\ufffd\ufffde'],
      ];
      for (const [index, [encoding, bytes]] of said.entries()) {
        await write(`said-${index}.md`, String(index));
        git('add', '-A');
        const name = bytes.toString('latin1');
        const header = [`author ${name} <g@x.org> 1 +0000`, 'committer C <c@x.org> 1 +0000'];
        putCommit(encoding === undefined ? header : [...header, `encoding ${encoding}`], bytes);
      }
      await withHistory();
      for (const [index, [, , expected]] of said.entries()) {
        const lines = (await ada.record(`wiki/said-${index}.md`)).current.message?.split('\n');
        assert.deepEqual([lines?.[0], lines?.[2]?.split(' <')[0]], [expected, expected]);
      }
    });
  });

  describe('that a stricter policy comes across', () => {
    it('skips documents that are now too large, by name, and imports the rest', async () => {
      const { created, skipped } = await importing({ largestText: 4096, largestBlob: 4096 });
      assert.deepEqual(skipped, [
        { path: '300.md', reason: 'has 6000 bytes, and the policy allows 4096 (largest_blob)' },
        { path: '301.md', reason: 'has 6000 bytes, and the policy allows 4096 (largest_blob)' },
      ]);
      assert.equal(created, 301);
      assert.equal(await ada.read('wiki/302.md'), 'the last one');
    });

    it('imports as a large file a document that is no longer a text of a permitted length', async () => {
      const { created, skipped } = await importing({ largestText: 4096 });
      assert.deepEqual([created, skipped], [303, []]);
      assert.equal((await ada.read('wiki/301.md')).length, 6000);
    });

    const importing = async (change: Partial<Policy>): Promise<Brought> => {
      await rm(join(folder, '.git'), { recursive: true });
      for (let index = 0; index < 300; index += 1) await write(`${String(index).padStart(3, '0')}.md`, `${index}`);
      for (const name of ['300.md', '301.md']) await write(name, name.repeat(1000));
      await write('302.md', 'the last one');
      let changed: Promise<unknown> | undefined;
      const onProgress = (): Promise<unknown> =>
        (changed ??= perform(service.workspace, operator, changePolicy, change));
      return bring(service, { directory: folder }, { onProgress });
    };
  });

  const git = (...parameters: string[]): string => runGit(folder, parameters).trim();

  const write = async (name: string, text: string): Promise<void> => {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  };

  const withHistory = (): Promise<Brought> => bring(service, { directory: folder, history: true });

  function commit(message: string): string {
    git('add', '-A');
    git('commit', '-q', '-m', message);
    return git('rev-parse', 'HEAD');
  }

  /** Puts a commit of these bytes on main; git itself would not write it. */
  function putCommit(header: readonly string[], message: Buffer | string): string {
    const tree = git('write-tree');
    const parent = git('rev-parse', 'HEAD');
    const head = [`tree ${tree}`, `parent ${parent}`, ...header, '', ''].join('\n');
    const input = Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(message as string, 'latin1')]);
    const parameters = ['-C', folder, 'hash-object', '-w', '-t', 'commit', '--literally', '--stdin'];
    const oid = execFileSync('git', parameters, { input, encoding: 'utf8' }).trim();
    git('update-ref', 'refs/heads/main', oid);
    return oid;
  }
});
