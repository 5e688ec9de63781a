import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IgnoreRules } from '../../lib/text/ignore-rules.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { gitEnvironment, runGit } from '../support/processes/run-git.js';
import { makeTestRandomness } from '../support/store/service.js';

describe('A .gitignore', () => {
  it('is read line by line, and the last line about a path decides', () => {
    assert.equal(said('*.log\n', 'a/b.log'), true);
    assert.equal(said('*.log\n!keep.log\n', 'a/keep.log'), false);
    assert.equal(said('!keep.log\n*.log\n', 'a/keep.log'), true);
    assert.equal(said('# a.md\n\n', 'a.md'), undefined);
    assert.equal(said('\uFEFFa.md\r\n', 'a.md'), true);
    assert.equal(said('a.md  \n', 'a.md'), true);
    assert.equal(said('a\\ \n', 'a '), true);
    assert.deepEqual(runAtOnce(new IgnoreRules('x\n\na*\n').judge('abc', false)), { isIgnored: true, line: 3 });
  });

  it('tells folders from files, and names from paths', () => {
    assert.equal(said('build/\n', 'a/build', true), true);
    assert.equal(said('build/\n', 'a/build'), undefined);
    assert.equal(said('/build\n', 'a/build'), undefined);
    assert.equal(said('docs/*.md\n', 'docs/a/b.md'), undefined);
    assert.equal(said('**/docs/**/x\n', 'docs/x'), true);
    assert.equal(said('docs/**\n', 'docs', true), undefined);
    assert.equal(said('é?.md\n', 'éö.md'), true);
  });

  it('says what git says, for random lines and paths', async () => {
    const random = makeTestRandomness('ignore');
    const pick = <Item>(items: readonly Item[]): Item => items[(random.bytes(1)[0] ?? 0) % items.length] as Item;
    const parts = ['a', 'b', 'a', '*', '**', '**/', '/', '?', '[ab]', '[!a]', '[a-', '[]-]', '[[:alpha:]]', '\\', ' '];
    const makeLine = (): string =>
      pick(['', '', '!', '/', '#']) +
      Array.from({ length: 1 + ((random.bytes(1)[0] ?? 0) % 6) }, () => pick(parts)).join('');
    const names = ['a', 'b', 'ab', 'ba', 'aa', '-', 'a b', ']'];
    const makePath = (): string =>
      Array.from({ length: 1 + ((random.bytes(1)[0] ?? 0) % 4) }, () => pick(names)).join('/');
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-ignore-'));
    try {
      runGit(folder, ['init', '-q']);
      const paths = [...new Set(Array.from({ length: 60 }, makePath))];
      for (let round = 0; round < 40; round += 1) {
        const text = `${Array.from({ length: 3 }, makeLine).join('\n')}\n`;
        await writeFile(join(folder, '.gitignore'), text);
        const isOdd = /\[[^\]]*\//.test(text);
        if (isOdd) continue;
        const { stdout, stderr } = spawnSync('git', ['-C', folder, 'check-ignore', '-vnz', '--no-index', '--stdin'], {
          input: `${paths.join('\0')}\0`,
          env: gitEnvironment,
          encoding: 'utf8',
        });
        assert.equal(stderr, '');
        const answer = stdout.split('\0');
        for (let at = 0; at + 3 < answer.length; at += 4) {
          const [, line, , path = ''] = answer.slice(at, at + 4);
          assert.equal(lineAbout(text, path), line === '' ? undefined : Number(line), JSON.stringify([text, path]));
        }
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

const said = (text: string, path: string, isFolder = false): boolean | undefined =>
  runAtOnce(new IgnoreRules(text).judge(path, isFolder))?.isIgnored;

/** The line that decides about a path, where a folder that is left out leaves out what is in it. */
function lineAbout(text: string, path: string): number | undefined {
  const rules = new IgnoreRules(text);
  const names = path.split('/');
  for (let depth = 1; depth < names.length; depth += 1) {
    const above = runAtOnce(rules.judge(names.slice(0, depth).join('/'), true));
    if (above?.isIgnored === true) return above.line;
  }
  return runAtOnce(rules.judge(path, false))?.line;
}
