import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

/** Parts that rules may wait for, in the order of the table: an existing part has tests. */
const partsToCome = ['with the console', 'with the client'];

describe('the table of rules and tests', () => {
  const cells = readFileSync('test/contract/README.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const cited = cells.flatMap((line) =>
    [...line.matchAll(/`([\w/.-]+\.test\.ts)`: (.+?)(?=<br>| \|$)/g)].map(([, file, title]) => ({
      file: `test/${file}`,
      title: title?.replaceAll('\\|', '|') ?? '',
    })),
  );

  it('cites tests that there are', () => {
    assert.ok(cited.length > 60);
    for (const { file, title } of cited) {
      assert.ok(titlesIn(file).includes(title), `${file} has no test “${title}”`);
    }
  });

  it('the table names every contract test', () => {
    const known = new Set(cited.map(({ title }) => title));
    const files = readdirSync('test/contract')
      .filter((name) => name.endsWith('.test.ts') && name !== 'table.test.ts')
      .map((name) => `test/contract/${name}`);
    const missing = files.flatMap(titlesIn).filter((title) => !known.has(title));
    assert.deepEqual(missing, []);
  });

  it('the table lists a test or an open reason for every rule', () => {
    const rules = cells.filter((line) => !/^\| (?:rule|---) /.test(line));
    for (const line of rules) assert.match(line, /waits: |\.test\.ts`: /);
    const waitedFor = rules.flatMap((line) => [...line.matchAll(/waits: (.+?) \|/g)].map(([, what]) => what));
    assert.deepEqual(waitedFor, partsToCome);
  });
});

/** Titles of tests that stand literally in a file; generated titles are not cited. */
function titlesIn(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/\bit\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g);
  return [...found].map(([, single, double]) => single ?? double ?? '');
}
