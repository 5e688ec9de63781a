import assert from 'node:assert/strict';
import { join } from 'node:path';
import { requireGit, type GitProgram } from '../../lib/git/program/git-program.js';
import { startGit, type StartedGit } from '../../lib/git/program/start-git.js';
import { listChanges, type RawChange } from '../../lib/git/serving/pushed-changes.js';
import { findLine, type LineCommit } from '../../lib/git/serving/pushed-line.js';
import { PushUnfit } from '../../lib/git/serving/push-limits.js';
import { git, TemporaryFolders } from '../support/git/fixture.js';

describe('The line of a push', function () {
  this.timeout(30_000);
  let program: GitProgram;
  const folders = new TemporaryFolders();

  after(() => folders.remove());
  before(async () => {
    program = await requireGit('test');
  });

  const shapes: readonly (readonly [string, readonly Made[], string, string | null, string | null])[] = [
    [
      'one after the other',
      [
        ['s', ''],
        ['a', 's'],
        ['b', 'a'],
      ],
      'b',
      's',
      's..a a..b',
    ],
    [
      'from an empty repository, with the first commit',
      [
        ['a', ''],
        ['b', 'a'],
      ],
      'b',
      null,
      '-..a a..b',
    ],
    [
      'with a merged branch as one commit',
      [
        ['s', ''],
        ['a', 's'],
        ['x', 's'],
        ['m', 'a x'],
      ],
      'm',
      's',
      's..a a..m',
    ],
    [
      'with a merge of the served head compared with that',
      [
        ['r', ''],
        ['s', 'r'],
        ['x', 'r'],
        ['m', 'x s'],
      ],
      'm',
      's',
      's..m',
    ],
    [
      'with commits after such a merge',
      [
        ['r', ''],
        ['s', 'r'],
        ['x', 'r'],
        ['m', 'x s'],
        ['b', 'm'],
      ],
      'b',
      's',
      's..m m..b',
    ],
    [
      'with a merge of two others and the served head',
      [
        ['r', ''],
        ['s', 'r'],
        ['x', 'r'],
        ['y', 'r'],
        ['m', 'x y s'],
      ],
      'm',
      's',
      's..m',
    ],
    [
      'with a branch of unrelated commits merged in',
      [
        ['s', ''],
        ['u', ''],
        ['m', 's u'],
      ],
      'm',
      's',
      's..m',
    ],
    ['with nothing where the head is there already', [['s', '']], 's', 's', ''],
    [
      'is none where the served head is no ancestor',
      [
        ['r', ''],
        ['s', 'r'],
        ['a', 'r'],
      ],
      'a',
      's',
      null,
    ],
    [
      'is none where the head is older than the served one',
      [
        ['r', ''],
        ['s', 'r'],
      ],
      'r',
      's',
      null,
    ],
    [
      'is none where the commits are unrelated',
      [
        ['s', ''],
        ['a', ''],
      ],
      'a',
      's',
      null,
    ],
  ];
  for (const [what, commits, head, served, expected] of shapes) {
    it(`goes along the first parents, ${what}`, () =>
      inRepository(commits, async (start, oids) => {
        const line = await findLine(start, oids[head] ?? '', served === null ? null : (oids[served] ?? ''), 100);
        assert.equal(named(line, oids), expected);
        const brought = line?.flatMap((each) => each.brought) ?? [];
        assert.deepEqual(
          brought.map((oid) => Object.entries(oids).find(([, each]) => each === oid)?.[0]),
          expected?.includes('s..m') === true && /served head|such a merge/.test(what) ? ['x'] : [],
        );
      }));
  }

  it('has at most so many commits, with those of merged branches', () =>
    inRepository(
      [
        ['s', ''],
        ['a', 's'],
        ['x', 's'],
        ['m', 'a x'],
      ],
      async (start, { m = '', s = '' }) => {
        assert.equal((await findLine(start, m, s, 3))?.length, 2);
        await assert.rejects(findLine(start, m, s, 2), PushUnfit);
      },
    ));

  const describeChanges = (changes: readonly RawChange[] | undefined): string[] =>
    (changes ?? []).map(({ before, after, path, from }) => {
      const kind =
        from !== null
          ? `moved from ${from.toString()} to`
          : before === null
            ? 'made'
            : after === null
              ? 'deleted'
              : 'changed';
      return `${kind} ${path.toString()}`;
    });

  it('says of each commit what it makes, changes, moves and deletes', () => {
    const text = Array.from({ length: 50 }, (_, index) => `line ${index}\n`).join('');
    const commits: readonly Made[] = [
      ['s', '', { 'a.md': text, 'b.md': 'b', 'c.md': 'c' }],
      ['a', 's', { 'a.md': null, 'deep/er/a.md': `${text}more\n`, 'b.md': 'B', 'd.md': 'new' }],
      ['b', 'a', { 'c.md': null, 'ü "x".md': 'c' }],
      ['e', 'b'],
    ];
    return inRepository(commits, async (start, { s = '', a = '', b = '', e = '' }) => {
      const line = (await findLine(start, e, s, 100)) ?? [];
      const changes = await listChanges(start, line, 100);
      assert.deepEqual(describeChanges(changes.get(a)), [
        'changed b.md',
        'made d.md',
        'moved from a.md to deep/er/a.md',
      ]);
      assert.deepEqual(describeChanges(changes.get(b)), ['moved from c.md to ü "x".md']);
      assert.deepEqual(changes.get(e), []);
    });
  });

  it('says of the first commit of all that it makes every file', () =>
    inRepository([['a', '', { 'x/a.md': '1', 'b.md': '2' }]], async (start, { a = '' }) => {
      const changes = await listChanges(start, [{ commit: a, base: null }], 100);
      assert.deepEqual(describeChanges(changes.get(a)), ['made b.md', 'made x/a.md']);
    }));

  const empty: readonly (readonly [string, readonly string[], readonly string[], readonly string[]])[] = [
    ['the only ones', ['a.md'], ['b.md'], ['moved from a.md to b.md']],
    [
      'each with its name',
      ['x/a.md', 'x/b.md'],
      ['y/a.md', 'y/b.md'],
      ['moved from x/a.md to y/a.md', 'moved from x/b.md to y/b.md'],
    ],
    [
      'one by its name, and the two that remain',
      ['x/a.md', 'x/b.md'],
      ['y/a.md', 'y/c.md'],
      ['moved from x/a.md to y/a.md', 'moved from x/b.md to y/c.md'],
    ],
    [
      'and not where two have one name',
      ['w/a.md', 'x/a.md'],
      ['y/a.md', 'z/a.md'],
      ['deleted w/a.md', 'deleted x/a.md', 'made y/a.md', 'made z/a.md'],
    ],
    ['and not where one of two is left', ['a.md', 'b.md'], ['c.md'], ['deleted a.md', 'deleted b.md', 'made c.md']],
    ['and not where one becomes two', ['a.md'], ['b.md', 'c.md'], ['deleted a.md', 'made b.md', 'made c.md']],
  ];
  it('takes files without content for moves where it is plain which became which', () =>
    inRepository(
      empty.flatMap(([, before, after], index): Made[] => [
        [`s${index}`, '', { 'full.md': 'x', ...Object.fromEntries(before.map((path) => [path, ''])) }],
        [
          `a${index}`,
          `s${index}`,
          Object.fromEntries([...before.map((path) => [path, null]), ...after.map((path) => [path, ''])]) as Record<
            string,
            string | null
          >,
        ],
      ]),
      async (start, oids) => {
        const line = empty.map((_, index) => ({ commit: oids[`a${index}`] ?? '', base: oids[`s${index}`] ?? '' }));
        const changes = await listChanges(start, line, 100);
        for (const [index, [what, , , expected]] of empty.entries()) {
          assert.deepEqual(describeChanges(changes.get(line[index]?.commit ?? '')), expected, what);
        }
      },
    ));

  it('takes an empty file that was filled for no move', () =>
    inRepository(
      [
        ['s', '', { 'a.md': '' }],
        ['a', 's', { 'a.md': null, 'b.md': 'full' }],
      ],
      async (start, { s = '', a = '' }) => {
        const changes = await listChanges(start, [{ commit: a, base: s }], 100);
        assert.deepEqual(describeChanges(changes.get(a)), ['deleted a.md', 'made b.md']);
      },
    ));

  it('has at most so many changes, and a move counts as one', () => {
    const files = (folder: string, content: string | null): Record<string, string | null> =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [
          `${folder}/${index}.md`,
          content === null ? null : `${content} ${index}`,
        ]),
      );
    const commits: readonly Made[] = [
      ['s', '', files('old', 'x')],
      ['a', 's', { ...files('old', null), ...files('new', 'x') }],
      ['b', 'a', files('more', 'y')],
    ];
    return inRepository(commits, async (start, { s = '', a = '', b = '' }) => {
      assert.equal((await listChanges(start, [{ commit: a, base: s }], 10)).get(a)?.length, 10);
      const both = [
        { commit: a, base: s },
        { commit: b, base: a },
      ];
      await assert.rejects(listChanges(start, both, 19), PushUnfit);
      await assert.rejects(listChanges(start, both, 10), PushUnfit);
      assert.equal((await listChanges(start, both, 20)).size, 2);
    });
  });

  const named = (line: readonly LineCommit[] | null, oids: Readonly<Record<string, string>>): string | null => {
    const nameOf = (oid: string | null): string => Object.entries(oids).find(([, each]) => each === oid)?.[0] ?? '-';
    return line === null ? null : line.map(({ commit, base }) => `${nameOf(base)}..${nameOf(commit)}`).join(' ');
  };

  /** Makes the commits, and calls the test with their ids by name. */
  async function inRepository(
    commits: readonly Made[],
    test: (
      start: (parameters: readonly string[]) => StartedGit,
      oids: Readonly<Record<string, string>>,
    ) => Promise<void>,
  ): Promise<void> {
    const folder = await folders.make();
    const repository = join(folder, 'r.git');
    git(folder, ['init', '-q', '--bare', 'r.git']);
    const names = commits.map(([name]) => name);
    const script = commits.map(([name, parents, files = {}], index) => {
      const [from, ...merged] = parents === '' ? [] : parents.split(' ');
      return [
        `commit refs/heads/${name}`,
        `mark :${index + 1}`,
        'committer Ada <ada@example.org> 1700000000 +0000',
        `data ${Buffer.byteLength(name)}`,
        name,
        ...(from === undefined ? [] : [`from :${names.indexOf(from) + 1}`]),
        ...merged.map((each) => `merge :${names.indexOf(each) + 1}`),
        ...Object.entries(files).flatMap(([path, text]) =>
          text === null ? [`D ${path}`] : [`M 644 inline ${path}`, `data ${Buffer.byteLength(text)}`, text],
        ),
        '',
      ].join('\n');
    });
    git(repository, ['fast-import', '--quiet', '--export-marks=marks'], `${script.join('\n')}\ndone\n`);
    const heads = git(repository, ['for-each-ref', '--format=%(refname:short) %(objectname)']).toString();
    const oids = Object.fromEntries(
      heads
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    await test((parameters) => startGit(program, repository, parameters), oids);
  }
});

/** A commit for `git fast-import`: its name, its parents' names, and its files, null for one that goes. */
type Made = readonly [name: string, parents: string, files?: Readonly<Record<string, string | null>>];
