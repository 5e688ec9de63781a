import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, makeFolder, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';
import { skipBecause } from '../support/skip.js';
import { findTraces } from '../support/store/evidence.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));
const question = "Type the document's name to confirm: ";
const controlC = '\u0003';
const controlD = '\u0004';

describe('cartulary erase at a terminal', function () {
  this.timeout(timeout);
  let data: string;

  before(function () {
    const { stdout } = spawnSync('script', ['--version'], { encoding: 'utf8' });
    if (!stdout?.includes('util-linux')) skipBecause(this, 'There is no `script` of util-linux to make a terminal.');
  });
  beforeEach(async () => {
    const folder = await makeFolder();
    data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await writeFile(join(folder, 'quokka plan.md'), 'cormorantsecret');
    await ask('import', folder, '--into', 'handbook', '--data', data);
  });
  afterEach(tidyUp);

  it('shows the document, and destroys it when its name is typed', async () => {
    const { code, said } = await typeWhenAsked('quokka plan.md\r');
    assert.equal(code, 0, said);
    assert.match(
      said,
      /quokka plan\.md is doc_[0-9a-f]{32}: made [^;]+; 1 version, 0 comments\.\s+This destroys the document/,
    );
    assert.match(said, /final_at +\d{4}-/);
    assert.deepEqual(findTraces(data, ['cormorantsecret', 'quokka plan']), []);
  });

  it('destroys nothing when another name is typed, or none', async () => {
    for (const typed of ['quokka plan', 'handbook/quokka plan.md', 'y', '']) {
      const { code, said } = await typeWhenAsked(`${typed}\r`);
      assert.ok(code === 1 || code === 2, said);
      assert.match(said, /Nothing was erased\.|confirmation/, typed);
    }
    await requireUntouched();
  });

  it('destroys nothing when it is interrupted, also with half of the name typed, and reports it', async () => {
    for (const typed of [controlC, `quokka plan.md${controlC}`, controlD]) {
      const { code, said } = await typeWhenAsked(typed);
      assert.equal(code, 1, said);
      assert.match(said, /interrupted\. Nothing was erased\./);
    }
    await requireUntouched();
  });

  /** Runs the command in a terminal of its own, and types when it is asked. */
  async function typeWhenAsked(typed: string, ...more: string[]): Promise<{ code: number | null; said: string }> {
    const words = [process.execPath, program, 'erase', 'handbook/quokka plan.md', '--data', data, ...more];
    const line = words.map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    const closed = once(child, 'close') as Promise<[number | null]>;
    let said = '';
    let isAsked = false;
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece;
      if (isAsked || !said.includes(question)) return;
      isAsked = true;
      child.stdin.write(typed);
    });
    const [code] = await closed;
    assert.ok(isAsked, said);
    return { code, said };
  }

  async function requireUntouched(): Promise<void> {
    assert.deepEqual((await ask<{ items: unknown[] }>('erasures', '--data', data)).items, []);
    const { code, stderr } = await runProgram(['erase', 'handbook/quokka plan.md', '--data', data]);
    assert.equal(code, 2);
    assert.match(stderr, /is doc_[0-9a-f]{32}: /, 'it is still there to be looked at');
  }
});
