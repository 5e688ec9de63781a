import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = 'test/access/scenarios';

describe('Access: the scenarios in prose', () => {
  it('carry the numbers and titles that are played', () => {
    const prose = readFileSync('test/access/scenarios.md', 'utf8');
    const titles = [...prose.matchAll(/^### (\d+\. .+)$/gm)].map((match) => match[1]);
    const played = readdirSync(folder)
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap(playedIn);
    assert.deepEqual(
      played.toSorted((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10)),
      titles,
    );
    assert.deepEqual(
      titles.map((title) => Number.parseInt(title ?? '', 10)),
      titles.map((_, index) => index + 1),
    );
  });
});

/** Numbers and titles of the scenarios in a file. */
function playedIn(file: string): string[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const calls = text.matchAll(/\bscenario\(\s*(\d+),\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g);
  return [...calls].map(([, number, single, double]) => `${number}. ${single ?? double}`);
}
