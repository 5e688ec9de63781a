import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addClient, type Client } from '../support/store/client.js';
import { runGit } from '../support/processes/run-git.js';
import { openTestService, type TestService } from '../support/store/service.js';
import { bring, bringRefused } from './bring.js';
import { putBomb, putCommit, putObject, putTree } from '../support/git/put-object.js';

const mebibyte = 1024 * 1024;

describe('an import of a hostile repository', function () {
  this.timeout(60_000);
  let folder: string;
  let repository: string;
  let file: { mode: string; oid: string };
  let service: TestService;
  let ada: Client;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-hostile-'));
    repository = join(folder, 'hostile.git');
    runGit(folder, ['init', '-q', '--bare', '-b', 'main', repository]);
    file = { mode: '100644', oid: putObject(repository, 'blob', 'a file') };
    service = await openTestService();
    ada = await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  describe('with a bomb', () => {
    it('is refused before its first document, at a commit and with its history', async () => {
      putCommit(repository, { tree: putBomb(repository, 10, file) });
      for (const history of [false, true]) {
        const { message, details } = await refuse({ history });
        assert.deepEqual(details, { reason: 'import_too_large', field: 'max_files', limit: 1_000_000 });
        assert.match(message, /more than 1000000 files.*--max-files/);
      }
    });

    it('is refused when it has no file at all, only folders', async () => {
      const empty = { mode: '40000', oid: putTree(repository, []) };
      putCommit(repository, { tree: putBomb(repository, 10, empty) });
      assert.equal((await refuse()).details?.['reason'], 'import_too_large');
    });

    it('is refused when it comes and goes in the middle of the history', async () => {
      const first = putCommit(repository, { tree: putFile('a.md') });
      const second = putCommit(repository, { tree: putBomb(repository, 12, file), parents: [first] });
      putCommit(repository, { tree: putFile('b.md'), parents: [second] });
      assert.equal((await refuse({ history: true })).details?.['reason'], 'import_too_large');
      assert.equal((await bring(service, { directory: repository })).created, 1);
    });

    it('is refused when each commit alone is small, and all of them together are not', async () => {
      const trees = [putBomb(repository, 2, file), putTree(repository, [])];
      let parents: readonly string[] = [];
      for (let commit = 0; commit < 20; commit += 1) {
        parents = [putCommit(repository, { tree: trees[commit % 2] ?? '', parents })];
      }
      const { details } = await refuse({ history: true, max_files: '1000' });
      assert.equal(details?.['reason'], 'import_too_large');
    });

    it('is imported where the operator allows it', async () => {
      putCommit(repository, { tree: putBomb(repository, 2, file) });
      assert.equal((await refuse({ max_files: '109' })).details?.['limit'], 109);
      assert.equal((await bring(service, { directory: repository, max_files: '110' })).created, 100);
    });

    it('takes no more bytes than the operator allows', async () => {
      putCommit(repository, { tree: putBomb(repository, 2, file) });
      const error = await refuse({ max_bytes: '100' });
      assert.deepEqual(error.details, { reason: 'import_too_large', field: 'max_bytes', limit: 100 });
      assert.equal((await bring(service, { directory: repository, max_bytes: '600' })).created, 100);
    });
  });

  it('does not read a commit, a tag or a folder too large for memory', async () => {
    const large = Buffer.alloc(65 * mebibyte);
    const tree = putObject(repository, 'tree', large);
    putCommit(repository, { tree });
    assert.match((await refuse()).message, new RegExp(`The folder ${tree} .* has ${large.length} bytes`));
    await rm(join(repository, 'objects', tree.slice(0, 2), tree.slice(2)));
    const message = ' '.repeat(5 * mebibyte);
    const commit = putCommit(repository, { tree: putFile('a.md'), message });
    for (const history of [false, true]) {
      assert.match((await refuse({ history })).message, new RegExp(`The commit ${commit} .* has \\d+ bytes`));
    }
    await rm(join(repository, 'objects', commit.slice(0, 2), commit.slice(2)));
    const target = putCommit(repository, { tree: putFile('a.md') });
    const tag = putObject(repository, 'tag', `object ${target}\ntype commit\ntag v1\ntagger x\n\n${message}`);
    await writeFile(join(repository, 'refs', 'tags', 'v1'), `${tag}\n`);
    assert.match((await refuse({ ref: 'v1' })).message, new RegExp(`The tag ${tag}`));
  });

  it('reads the beginning of a commit message of megabytes, on one line or on many', async () => {
    const first = putCommit(repository, { tree: putFile('a.md'), message: 'A word. '.repeat(mebibyte / 4) });
    const message = `Many lines${'\n'.repeat(mebibyte)}`;
    putCommit(repository, { tree: putFile('b.md'), parents: [first], message });
    assert.equal((await bring(service, { directory: repository, history: true })).created, 2);
    assert.match((await ada.record('wiki/b.md')).current.message ?? '', /^Many lines\n/);
  });

  it('finds the author behind thousands of parents, and follows the first one', async () => {
    const first = putCommit(repository, { tree: putFile('a.md') });
    const parents = Array.from({ length: 5000 }, () => first);
    putCommit(repository, { tree: putFile('b.md'), parents });
    const { created, deleted } = await bring(service, { directory: repository, history: true });
    assert.deepEqual([created, deleted], [2, 1]);
    assert.match((await ada.record('wiki/b.md')).current.message ?? '', /Grace <grace@example\.org>, 2020/);
  });

  it('does not go down into folders without end, nor follow names without end', async () => {
    const nest = (levels: number, name: string): string => {
      let tree = putFile('a.md');
      for (let level = 0; level < levels; level += 1) tree = putTree(repository, [{ name, mode: '40000', oid: tree }]);
      return tree;
    };
    putCommit(repository, { tree: nest(1100, 'd') });
    for (const history of [false, true]) assert.match((await refuse({ history })).message, /more than 1000 deep/);
    putCommit(repository, { tree: nest(2, 'long'.repeat(3000)) });
    assert.match((await refuse()).message, /path has more than 16384 bytes/);
    putCommit(repository, { tree: nest(300, 'd') });
    assert.equal((await bring(service, { directory: repository })).created, 1);
  });

  it('is not disturbed by very many branches', async () => {
    const commit = putCommit(repository, { tree: putFile('a.md') });
    const refs = Array.from({ length: 50_000 }, (_, index) => `${commit} refs/heads/branch-${index}\n`).toSorted();
    await writeFile(join(repository, 'packed-refs'), refs.join(''));
    assert.equal((await bring(service, { directory: repository, ref: 'branch-77' })).created, 1);
  });

  it('waits for nothing that lies in the place of a file', async () => {
    putCommit(repository, { tree: putFile('a.md') });
    const places = ['refs/heads/other', 'packed-refs', 'config.worktree', 'info/grafts', 'objects/pack/x.idx', 'v1'];
    for (const place of places) {
      execFileSync('mkfifo', [join(repository, place)]);
      for (const ref of ['main', 'other', 'v1']) assert.match((await refuse({ ref })).message, /file/, place);
      await rm(join(repository, place));
    }
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await symlink(join(folder, 'fifo'), join(repository, 'refs/heads/linked'));
    assert.match((await refuse({ ref: 'linked' })).message, /neither a file nor a folder/);
    await rm(join(repository, 'refs/heads/linked'));
    assert.equal((await bring(service, { directory: repository })).created, 1);
  });

  it('reads no file that the configuration names, and none of its hooks and indexes', async () => {
    putCommit(repository, { tree: putFile('a.md') });
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    await appendFile(join(repository, 'config'), `[include]\n\tpath = ${join(folder, 'fifo')}\n`);
    await writeFile(join(repository, 'objects', 'info', 'commit-graph'), 'no graph');
    for (const history of [false, true]) {
      const { created, unchanged } = await bring(service, { directory: repository, history });
      assert.equal(created + unchanged, 1);
    }
  });

  it('names what it cannot read in the form of a repository', async () => {
    putCommit(repository, { tree: putFile('a.md') });
    const config = await readFile(join(repository, 'config'), 'utf8');
    const refusals: readonly (readonly [string, RegExp])[] = [
      ['[extensions]\n\tobjectFormat = sha256\n', /names its objects by sha256/],
      ['[extensions]\n\tpartialClone = origin\n', /is a partial clone/],
      ['[remote "a.b\\"c"]\n\tpromisor = true\n', /is a partial clone/],
      ['[extensions]\n\trefStorage = reftable\n', /uses extensions.refstorage/],
      ['[broken', /cannot be read by git: fatal: bad config line \d+ in file config/],
      [`# ${'x'.repeat(2 * mebibyte)}`, /config has more than 1048576 bytes/],
    ];
    for (const [text, said] of refusals) {
      await writeFile(join(repository, 'config'), config + text);
      assert.match((await refuse()).message, said);
    }
  });

  describe('in a bundle', () => {
    it('is refused when it is a bomb', async () => {
      putCommit(repository, { tree: putBomb(repository, 10, file) });
      runGit(repository, ['bundle', 'create', '-q', bundle(), 'main']);
      assert.equal((await refuse({ directory: bundle() })).details?.['reason'], 'import_too_large');
    });

    it('is refused when it names more branches than can be held', async () => {
      const line = `${'1'.repeat(40)} refs/heads/${'branch'.repeat(10)}\n`;
      await writeFile(bundle(), `# v2 git bundle\n${line.repeat(Math.ceil((9 * mebibyte) / line.length))}`);
      assert.match((await refuse({ directory: bundle() })).message, /more branches and tags/);
    });

    it('is refused when it claims to have more objects than fit into it', async () => {
      const pack = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
      pack.writeUInt32BE(4_000_000_000, 8);
      const head = Buffer.from(`# v2 git bundle\n${'1'.repeat(40)} refs/heads/main\n\n`);
      await writeFile(bundle(), Buffer.concat([head, pack, Buffer.alloc(100)]));
      assert.match((await refuse({ directory: bundle() })).message, /4000000000 objects in \d+ bytes/);
    });

    const bundle = (): string => join(folder, 'hostile.bundle');
  });

  it('names skipped files, as long as the list is useful', async () => {
    const link = { mode: '120000', oid: file.oid };
    const entries = Array.from({ length: 10_050 }, (_, index) => ({ name: String(index).padStart(5, '0'), ...link }));
    putCommit(repository, { tree: putTree(repository, [...entries, { name: 'z.md', ...file }]) });
    const { created, skipped, skipped_not_named: more } = await bring(service, { directory: repository });
    assert.deepEqual([created, skipped.length, more], [1, 10_000, 50]);
  });

  const putFile = (name: string): string => putTree(repository, [{ name, ...file }]);

  /** The message of the refused import. Nothing of it is stored. */
  async function refuse(fields: Record<string, unknown> = {}) {
    const error = await bringRefused(service, { directory: repository, ...fields });
    assert.equal(service.workspace.journal.state.head, null, 'nothing came in');
    return error;
  }
});

describe('an import of a folder with very much in it', () => {
  let folder: string;
  let service: TestService;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-much-'));
    service = await openTestService();
    await addClient({ service, workspace: service.workspace }, 'Ada', 'approver');
    for (const place of ['a', 'b']) {
      await mkdir(join(folder, place));
      for (let index = 0; index < 10; index += 1) await writeFile(join(folder, place, `${index}.md`), 'ten bytes!');
    }
  });
  afterEach(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is refused before its first document, where there is more than the bound', async () => {
    const error = await bringRefused(service, { directory: folder, max_files: '21' });
    assert.deepEqual(error.details, { reason: 'import_too_large', field: 'max_files', limit: 21 });
    assert.equal(service.workspace.journal.state.head, null);
    assert.equal((await bring(service, { directory: folder, max_files: '22' })).created, 20);
  });

  it('stops where the files have more bytes than the bound', async () => {
    const error = await bringRefused(service, { directory: folder, max_bytes: '199' });
    assert.deepEqual(error.details, { reason: 'import_too_large', field: 'max_bytes', limit: 199 });
    assert.equal((await bring(service, { directory: folder, max_bytes: '200' })).created, 20);
  });

  it('an import with an invalid bound is refused', async () => {
    for (const bound of [{ max_files: '0' }, { max_files: 'x' }, { max_bytes: '-1' }, { max_bytes: '1 zb' }]) {
      assert.equal((await bringRefused(service, { directory: folder, ...bound })).details?.['reason'], 'bad_field');
    }
  });
});
