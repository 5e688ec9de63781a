import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { alone, campaign, fast, slowFirst } from '../support/queue.js';
import { readModule } from './read-module.js';
import { judgeTestImports, supportFloors } from './support.js';

const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
  .filter((file) => file.endsWith('.ts'));

describe('the tests', () => {
  it('import helpers from test/support or their own suite, and helpers only lower helpers', () => {
    const faults = judgeTestImports(tests.map((file) => readModule(file, readFileSync(file, 'utf8'))));
    assert.deepEqual(faults, []);
  });

  const guilty: readonly (readonly [file: string, source: string])[] = [
    ['test/mcp/a.test.ts', "import { b } from '../access/b.js';"],
    ['test/a.test.ts', "import { b } from './access/b.js';"],
    ['test/support/store/a.ts', "import { b } from '../http/b.js';"],
    ['test/support/http/a.ts', "import type { B } from '../model/b.js';"],
    ['test/support/a.ts', "import { b } from './store/b.js';"],
    ['test/support/store/a.ts', "import { b } from '../../erase/b.js';"],
    ['test/support/attic/a.ts', "import { b } from '../until.js';"],
  ];
  for (const [file, source] of guilty) {
    it(`may not do this: ${file} ${source}`, () => assert.equal(judge(file, source).length, 1));
  }

  it('may import from below, from their own folder and from lib', () => {
    const innocent = [
      ['test/mcp/a.test.ts', "import { b } from './b.js';\nimport { c } from '../support/http/c.js';"],
      ['test/mcp/deep/a.test.ts', "import { b } from '../b.js';"],
      ['test/support/http/a.ts', "import { b } from '../store/b.js';\nimport { c } from './c.js';"],
      ['test/support/http/a.ts', "import { b } from '../../../lib/domain/b.js';\nimport { c } from '../until.js';"],
      ['test/bench/a.ts', "import { b } from '../signin/b.js';"],
    ] as const;
    for (const [file, source] of innocent) assert.deepEqual(judge(file, source), []);
  });

  it('have every helper in a room of test/support that exists', () => {
    for (const room of supportFloors.flat()) assert.ok(existsSync(path.join('test', 'support', room)), room);
  });

  it('are listed in test/support/queue.ts by existing names', () => {
    const isThere = (place: string): boolean => tests.some((file) => file.startsWith(`test/${place}/`));
    const isFile = (place: string): boolean => tests.includes(`test/${place}.test.ts`);
    assert.deepEqual(
      [...slowFirst, ...Object.keys(alone), ...campaign].filter((place) => !isFile(place)),
      [],
    );
    assert.deepEqual(
      fast.filter((place) => !isFile(place) && !isThere(place)),
      [],
    );
  });

  it('are in the campaign where they have a count that it makes large', () => {
    const counted = tests.filter(
      (file) => file.endsWith('.test.ts') && /\bcountOf\('[A-Z]/.test(readFileSync(file, 'utf8')),
    );
    assert.ok(counted.length > 30, `${counted.length} files`);
    assert.deepEqual(
      counted.filter((file) => !campaign.includes(file.slice('test/'.length, -'.test.ts'.length))),
      [],
    );
  });
});

const judge = (file: string, source: string): string[] => judgeTestImports([readModule(file, source)]);
