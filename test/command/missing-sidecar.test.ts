import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';

describe('a workspace whose sidecar is gone, beside a whole one', function () {
  this.timeout(timeout);

  let data: string;
  let sidecar: string;

  before(async () => {
    data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await ask('init', '--data', data, '--workspace', 'two', '--admin', 'Bea');
    sidecar = join(data, 'acme', 'sidecar.sqlite');
    await rename(sidecar, `${sidecar}.away`);
  });
  after(tidyUp);

  it('is named by status with the path and the remedy, and the other one is shown', async () => {
    const { code, stdout, stderr } = await runProgram(['status', '--data', data]);
    assert.equal(code, 1, stderr);
    assert.ok(
      stdout.includes(`acme: BROKEN: The workspace acme has no ${sidecar}. Bring it back from a backup`),
      stdout,
    );
    assert.match(stdout, /^two: 0 documents/m);
    const json = await runProgram(['status', '--data', data, '--json']);
    const { workspaces } = JSON.parse(json.stdout) as { workspaces: { name: string; problem: string | null }[] };
    assert.deepEqual(
      workspaces.map(({ name, problem }) => [name, problem === null]),
      [
        ['acme', false],
        ['two', true],
      ],
    );
  });

  it('is named by verify with the path', async () => {
    const { code, stdout } = await runProgram(['verify', '--data', data]);
    assert.equal(code, 1);
    assert.ok(stdout.includes(`The workspace acme has no ${sidecar}.`), stdout);
    assert.match(stdout, /^two: sound/m);
  });

  for (const words of [
    ['rebuild', '--workspace', 'acme'],
    ['principal', 'list', '--workspace', 'acme'],
  ]) {
    it(`is named by every other command, without a stack trace and a useless retry: ${words.join(' ')}`, async () => {
      const { code, stderr } = await runProgram([...words, '--data', data]);
      assert.equal(code, 1);
      assert.ok(stderr.includes(`The workspace acme has no ${sidecar}. Bring it back from a backup`), stderr);
      assert.doesNotMatch(stderr, /^ +at |Try again/m);
    });
  }

  it('keeps no command from the other one', async () => {
    const { code, stdout } = await runProgram(['principal', 'list', '--workspace', 'two', '--data', data]);
    assert.equal(code, 0);
    assert.match(stdout, /Bea/);
  });
});
