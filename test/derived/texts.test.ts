import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMoves, describeVersions, signAs, signVersion } from '../../lib/derived/describe-commit.js';
import type { Version } from '../../lib/domain/document.js';
import type { Location } from '../../lib/domain/location.js';
import { FastImport } from '../../lib/git/derived/fast-import.js';
import { boundsFor } from '../../lib/git/program/git-bounds.js';
import { boundGit, requireGit, type ForeignGit } from '../../lib/git/program/git-program.js';
import { git } from './derived-world.js';

const hostileNames = [
  '',
  ' ',
  '<>',
  'Eve <eve@example.org> 1 +0000\ncommitter Root <root@x> 2 +0000',
  'A\0B',
  '.',
  'é ü 名',
  '"quoted"',
  "'; DROP TABLE",
  '\u001b[31mred',
  '\u2028',
];
const hostilePaths = [
  'plain.md',
  ' leading and trailing ',
  'with "quotes".md',
  '"',
  'back\\slash',
  'new\nline',
  'tab\there',
  'carriage\rreturn',
  'bell\u0007',
  'delete\u007f',
  'größe/名前/😀.md',
  '\u00a0no-break',
  'M 100644 inline x',
  'from',
  'done',
  '-dash',
  "it's",
  '$(id)',
  'a*?[b]',
  '0',
  'very'.repeat(60),
];
const hostileMessages = [
  '',
  '\n',
  'done\n',
  'data 5\nhello\ncommit refs/heads/evil\n',
  'NUL \0 inside',
  'é😀',
  'x'.repeat(70_000),
];
const times = [-1, 0, -8.64e15, 8.64e15, 253_402_300_799_999, 1.5];

describe('the texts of a derived repository', function () {
  let folder: string;
  let program: ForeignGit;

  before(async () => {
    program = boundGit(await requireGit('test'), boundsFor({ objects: 1000, bytes: 0 }, 60));
    folder = mkdtempSync(join(tmpdir(), 'cartulary-texts-'));
    execFileSync('git', ['init', '-q', '--bare', folder]);
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  it('come through git fast-import whole, and never as its commands', async () => {
    const into = new FastImport(program, folder, 'refs/heads/main', null, new AbortController().signal);
    const content = Buffer.from('commit refs/heads/evil\n');
    into.beginBlob(content.length);
    into.put(content);
    into.endBlob();
    const blob = execFileSync('git', ['hash-object', '--stdin'], { input: content }).toString().trim();
    const messages: string[] = [];
    let count = 0;
    const commit = async (displayName: string, message: string, at: number, path: string): Promise<void> => {
      const signature = signAs({ id: 'prn_1', kind: 'person', displayName }, at, 'acme');
      const edits = [{ path, blob }];
      await into.commit({ author: signature, committer: signature, message, edits });
      messages.push(message.replaceAll('\0', ''));
      count += 1;
    };
    for (const path of hostilePaths) await commit('Ada', path, 1000, path);
    for (const name of hostileNames) await commit(name, 'name', 1000, 'plain.md');
    for (const message of hostileMessages) await commit('Ada', message, 1000, 'plain.md');
    for (const at of times) await commit('Ada', 'time', at, 'plain.md');
    await into.finish();
    assert.equal(git(folder, 'fsck', '--strict', '--full'), '');
    assert.equal(git(folder, 'for-each-ref', '--format=%(refname)'), 'refs/heads/main');
    assert.equal(git(folder, 'rev-list', '--count', 'main'), `${count}`);
    const places = git(folder, 'ls-tree', '-r', '-z', '--name-only', 'main').split('\0').filter(Boolean);
    assert.deepEqual(places.toSorted(), hostilePaths.toSorted());
    const said = git(folder, 'log', '--reverse', '-z', '--format=%B', 'main').split('\0');
    assert.deepEqual(
      said.map((each) => each.trim()).slice(0, count),
      messages.map((each) => each.trim()),
    );
    for (const at of git(folder, 'log', '--format=%at', 'main').split('\n')) {
      assert.ok(Number(at) >= 0 && Number(at) <= 253_402_300_799, at);
    }
  });

  it('removes what has a hostile name', async () => {
    const head = git(folder, 'rev-parse', 'main');
    const into = new FastImport(program, folder, 'refs/heads/main', head, new AbortController().signal);
    const signature = signAs({ id: 'prn_1', kind: 'person', displayName: 'Ada' }, 0, 'acme');
    const edits = hostilePaths.map((path) => ({ path, blob: null }));
    await into.commit({ author: signature, committer: signature, message: 'all', edits });
    await into.finish();
    assert.equal(git(folder, 'ls-tree', '-r', 'main'), '');
  });

  it('name the author of an import as its source does, and who imported it as committer', () => {
    const version = {
      author: { id: 'prn_1', kind: 'person', displayName: 'Ada' },
      at: 5000,
      originalAuthor: { name: 'Grace', email: 'grace@example.org', at: 3000 },
    } as Version;
    assert.deepEqual(signVersion(version, 'acme'), {
      author: { name: 'Grace', email: 'grace@example.org', seconds: 3 },
      committer: { name: 'Ada', email: 'prn_1@acme', seconds: 5 },
    });
  });

  it('describe a commit by its own message, or by places that are shown', () => {
    const versionAt = (place: string, message: string | null = null) =>
      ({ version: { message } as Version, operation: 'mirror', place: place as Location }) as const;
    assert.equal(describeVersions([versionAt('a'), versionAt('b', 'Why')]), 'Why\n');
    assert.equal(describeVersions([versionAt('a', '  \n')]), 'Mirror a\n');
    assert.equal(describeVersions([versionAt('a'), versionAt('b')]), 'Mirror 2 documents\n');
    const moved = (from: string | null, to: string | null) =>
      ({ id: '', number: 1, from: from as Location | null, to: to as Location | null, sequence: 1 }) as const;
    assert.equal(describeMoves([moved('a/x', 'b/x')]), 'Move a/x to b/x\n');
    assert.equal(describeMoves([moved('a/x', 'a/y')]), 'Rename a/x to a/y\n');
    assert.equal(describeMoves([moved(null, 'a/y')]), 'Undelete a/y\n');
    assert.equal(describeMoves([moved('a', 'b'), moved('c', null)]), 'Move 1 document and delete 1 document\n');
  });
});
