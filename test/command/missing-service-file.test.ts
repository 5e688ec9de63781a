import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';

describe('a data folder whose service.sqlite is gone', function () {
  this.timeout(timeout);

  let data: string;
  let away: string;

  before(async () => {
    const folder = await makeFolder();
    data = join(folder, 'data');
    away = join(folder, 'service.sqlite');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await ask('init', '--data', data, '--workspace', 'two', '--admin', 'Bea');
    await rename(join(data, 'service.sqlite'), away);
  });
  after(tidyUp);

  for (const words of [
    ['principal', 'list', '--workspace', 'acme'],
    ['status'],
    ['init', '--workspace', 'acme', '--admin', 'Ada'],
    ['init', '--workspace', 'other', '--admin', 'Ada'],
    ['serve', '--port', '0'],
    ['serve', '--port', '0', '--create'],
    ['start', '--port', '0'],
  ]) {
    it(`is not taken for an empty one, and stays as it is: ${words.join(' ')}`, async () => {
      const before = await readdir(data, { recursive: true });
      const { code, stdout, stderr } = await runProgram([...words, '--data', data]);
      assert.equal(code, 1, stdout);
      assert.match(stderr, /service\.sqlite is missing in .*, but workspaces lie there: acme, two\./);
      assert.match(stderr, /Nothing was changed\./);
      assert.ok(!existsSync(join(data, 'service.sqlite')));
      assert.deepEqual(await readdir(data, { recursive: true }), before);
    });
  }

  it('is served again when it is back', async () => {
    await rename(away, join(data, 'service.sqlite'));
    const { code, stdout } = await runProgram(['principal', 'list', '--workspace', 'two', '--data', data]);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Bea/);
  });
});
