import assert from 'node:assert/strict';
import { filterEntries, type HeldEntry } from '../../../lib/connectors/sync/filter-entries.js';
import { parseLocation } from '../../../lib/domain/location.js';
import { runAtOnce } from '../../../lib/scheduling/in-steps.js';

describe('the filter of a sync', () => {
  it('the filter of a sync accepts usual names', () => {
    const paths = ['a.md', 'b/c d.txt', '.hidden/x', '100%.md', '日本語/ファイル.md'];
    assert.deepEqual(filter(...paths.map((path) => file(path))), { wanted: paths.toSorted(), skipped: {} });
  });

  for (const [path, what] of [
    ['a//b.md', 'has an empty segment'],
    ['/etc/passwd', 'has an empty segment'],
    ['../outside.md', 'has the segment ".."'],
    ['a/./b', 'has the segment "."'],
    ['x\\y.md', 'has a backslash'],
    ['line\nbreak.md', 'has a control character'],
    ['.git/config', 'git would take for its own'],
    ['a/GIT~1/hooks', 'git would take for its own'],
    ['a/.keep', 'reserved name ".keep"'],
    ['invoice\u202egnp.exe', 'misleads the eye'],
    ['zero\u200bwidth.md', 'cannot be seen'],
    [' leading.md', 'begins or ends with a blank'],
    [`${'x'.repeat(300)}.md`, 'more than 255 bytes'],
    ['deep/'.repeat(210).concat('a.md'), 'longer than 1024 bytes'],
    ['y'.repeat(5000), 'too long'],
    ['d/'.repeat(65).concat('a.md'), 'more than 64 folders within each other'],
    ['', 'has an empty segment'],
  ] as const) {
    it(`leaves out ${JSON.stringify(path.slice(0, 30))}: it ${what}`, () => {
      const { wanted, skipped } = filter(file(path));
      assert.deepEqual(wanted, []);
      const [said] = Object.values(skipped);
      assert.ok(said?.startsWith('bad_name: ') === true && said.includes(what), said);
    });
  }

  it('leaves out a name that is not valid Unicode, and keeps it as a text that is', () => {
    const { skipped } = filter(file('half\ud800.md'));
    assert.deepEqual(skipped, { 'half\ufffd.md': 'not_decodable: The name is not valid Unicode.' });
  });

  it('keeps a bounded text of a path of a megabyte', () => {
    const [path = ''] = Object.keys(filter(file('z'.repeat(1_000_000))).skipped);
    assert.ok(path.length < 1100, String(path.length));
  });

  it('leaves out a file that is too large, and says how large', () => {
    const { wanted, skipped } = filter(file('a', 1000), file('b', 1001));
    assert.deepEqual([wanted, skipped], [['a'], { b: 'too_large: It has 1001 bytes, which is more than 1000 bytes.' }]);
  });

  it('passes on what the source itself leaves out', () => {
    const link: HeldEntry = {
      type: 'skipped',
      path: 'link',
      version: '1',
      reason: 'symlink',
      detail: 'It leads away.',
    };
    assert.deepEqual(filter(link), { wanted: [], skipped: { link: 'symlink: It leads away.' } });
  });

  it('mirrors one of several names that differ only in case, the same in every order', () => {
    const names = ['readme.md', 'README.md', 'ReadMe.md'];
    const expected = {
      wanted: ['README.md'],
      skipped: {
        'ReadMe.md': 'name_twin: Another file of the source has the same name.',
        'readme.md': 'name_twin: Another file of the source has the same name.',
      },
    };
    assert.deepEqual(filter(...names.map((name) => file(name))), expected);
    assert.deepEqual(filter(...names.toReversed().map((name) => file(name))), expected);
  });

  it('mirrors a name in a decomposed form under its usual form', () => {
    assert.deepEqual(filter(file('cafe\u0301.md')), { wanted: ['caf\u00e9.md'], skipped: {} });
  });

  it('prefers the usual form of Unicode among twins', () => {
    const { wanted, skipped } = filter(file('cafe\u0301.md'), file('caf\u00e9.md'));
    assert.deepEqual([wanted, Object.keys(skipped)], [['caf\u00e9.md'], ['cafe\u0301.md']]);
  });

  /** Files that share no folder. */
  const deep = (count: number): HeldEntry[] =>
    Array.from({ length: count }, (_, index) => file(`${index}/${'d/'.repeat(60)}a.md`));

  it('ends at a bound of folders, which few files can have many of', () => {
    assert.equal(filter(...deep(300)).wanted.length, 300);
    assert.throws(() => filter(...deep(400)), /^SourceFault: The source has more than 20000 folders/);
  });

  it('goes in steps that are as short for deep paths', () => {
    const steps = filterEntries(deep(200), {
      root: parseLocation('docs'),
      maxBytes: 1000,
      maxFolders: 20_000,
      faultOfNew: () => undefined,
    });
    assert.ok([...steps].length >= 10);
  });

  it('leaves out a file that has the name of a folder', () => {
    assert.deepEqual(filter(file('a'), file('a/b.md'), file('A')), {
      wanted: ['a/b.md'],
      skipped: {
        a: 'name_taken: A folder of the source has the same name.',
        A: 'name_taken: A folder of the source has the same name.',
      },
    });
  });
});

const file = (path: string, size?: number): HeldEntry => ({
  type: 'file',
  path,
  version: '1',
  ...(size === undefined ? {} : { size }),
});

function filter(...entries: readonly HeldEntry[]): { wanted: string[]; skipped: Record<string, string> } {
  const rules = { root: parseLocation('docs'), maxBytes: 1000, maxFolders: 20_000, faultOfNew: () => undefined };
  const { wanted, skipped } = runAtOnce(filterEntries(entries, rules));
  const reasons = [...skipped.values()].map(({ path, reason, detail }) => [path, `${reason}: ${detail}`] as const);
  return { wanted: [...wanted.keys()].toSorted(), skipped: Object.fromEntries(reasons) };
}
