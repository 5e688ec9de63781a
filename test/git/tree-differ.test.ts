import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RepositoryUnreadable } from '../../lib/git/errors.js';
import { borrowObjects } from '../../lib/git/sources/borrow-objects.js';
import type { ForeignRepository } from '../../lib/git/sources/foreign-repository.js';
import { SourceRepository, type SourceChange } from '../../lib/git/sources/source-repository.js';
import { gather } from '../support/gather.js';
import { runGit } from '../support/processes/run-git.js';

describe('the changes of a repository’s commits, asked of one git', () => {
  let folder: string;
  let foreign: ForeignRepository;
  let source: SourceRepository;
  let commits: string[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-differ-'));
    git('init', '-q', '-b', 'main');
    const write = async (name: string, text: string): Promise<void> => {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    };
    const commit = (): void => {
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', 'round');
    };
    for (const name of ['.', ':', '..'].map((start) => `${start}a.md`)) await write(name, 'x');
    await write('a\nb/.\n.md', 'line ends in names');
    await write('run.sh', 'x');
    commit();
    commit(); // changes nothing
    await chmod(join(folder, 'run.sh'), 0o755);
    await rm(join(folder, '.a.md'));
    await write('a\nb/.\n.md', 'changed');
    commit();
    git('switch', '-q', '-c', 'side', 'HEAD~1');
    await write('side.md', 'x');
    commit();
    git('switch', '-q', 'main');
    git('merge', '-q', '--no-ff', '-m', 'merge', 'side');
    for (let index = 0; index < 1500; index += 1) await write(`many/${index}-${'long'.repeat(20)}.md`, `${index}`);
    commit();
    git('rm', '-rq', 'many');
    commit();
  });
  beforeEach(async () => {
    foreign = await borrowObjects(join(folder, '.git'), { within: tmpdir(), prefix: 'cartulary-differ-' });
    source = await SourceRepository.open(foreign, new AbortController().signal);
    commits = await gather(source.listCommits((await source.findCommit('HEAD')) ?? ''));
  });
  afterEach(async () => {
    await source.close();
    await foreign.remove();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('equal those from a git for each of them: none, odd names, merges, and very many', async () => {
    assert.equal(commits.length, 6);
    const counts: number[] = [];
    for (const [index, commit] of commits.entries()) {
      const parent = commits[index - 1];
      const changes = (await gather(source.listChanges(parent ?? null, commit))).map(show);
      if (parent !== undefined) assert.deepEqual(changes, expected(parent, commit));
      counts.push(changes.length);
    }
    assert.deepEqual(counts, [5, 0, 3, 1, 1500, 1500]);
  });

  it('is right again after one was not taken to its end', async () => {
    const [, , third = '', fourth = '', fifth = ''] = commits;
    for await (const _ of source.listChanges(fourth, fifth)) break;
    assert.deepEqual((await gather(source.listChanges(third, fourth))).map(show), expected(third, fourth));
  });

  it('is an error where the repository has lost a folder or a commit, never less than it was', async () => {
    const [, , third = '', fourth = '', fifth = ''] = commits;
    const tree = git('rev-parse', `${fifth}:many`).trim();
    const file = join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2));
    await chmod(file, 0o644);
    await rm(file);
    await assert.rejects(gather(source.listChanges(fourth, fifth)), RepositoryUnreadable);
    assert.equal((await gather(source.listChanges(third, fourth))).length, 1);
    for (const [before, after] of [
      ['1'.repeat(40), fourth],
      [fourth, '1'.repeat(40)],
    ] as const) {
      await assert.rejects(gather(source.listChanges(before, after)), RepositoryUnreadable);
    }
  });

  const git = (...parameters: string[]): string => runGit(folder, parameters);

  const show = ({ path, before, after }: SourceChange): string =>
    `${path.toString('latin1')} ${before?.mode} ${before?.oid} ${after?.mode} ${after?.oid}`;

  /** The same by a git for each pair. */
  function expected(before: string, commit: string): string[] {
    const fields = git('diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', before, commit).split('\0');
    return fields.slice(0, -1).flatMap((facts, index) => {
      if (index % 2 === 1) return [];
      const [was = '', is = '', oidBefore, oidAfter] = facts.slice(1).split(' ');
      const end = (mode: string, oid: string | undefined): string =>
        mode === '000000' ? 'undefined undefined' : `${mode} ${oid}`;
      return `${fields[index + 1]} ${end(was, oidBefore)} ${end(is, oidAfter)}`;
    });
  }
});
