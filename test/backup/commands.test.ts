import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, runProgram, serve, tidyUp } from '../support/processes/run-program.js';

describe('cartulary backup, restore, rebuild, audit archive', () => {
  afterEach(tidyUp);

  it('back a workspace up while it is served, restore it, and keep its parts in order', async () => {
    const folder = await makeFolder();
    const [data, backup, restored] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'restored')];
    const words = join(folder, 'words');
    await writeFile(words, 'a phrase of words\nand a second line that does not count\n');
    await mkdir(join(folder, 'source'));
    await writeFile(join(folder, 'source', 'plan.md'), '# Plan');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await ask('import', join(folder, 'source'), '--into', '/', '--data', data);
    const server = await serve(data);
    const taken = await ask<{ commit: string }>('backup', backup, '--data', data, '--passphrase-file', words);
    assert.match(taken.commit, /^[0-9a-f]{40}$/);
    for (const name of await readdir(backup)) assert.equal((await stat(join(backup, name))).mode & 0o077, 0, name);
    const running = await askRefused('rebuild', '--data', data);
    assert.equal(running.details?.['reason'], 'server_running');
    const inside = await askRefused('backup', join(data, 'b'), '--data', data, '--passphrase-file', words);
    assert.match(inside.message, /lies in the data folder itself/);
    assert.equal((await askRefused('restore', backup, '--data', data, '--passphrase-file', words)).code, 'UNAVAILABLE');
    await server.stop();

    const wrong = await runProgram(['restore', backup, '--data', restored], {
      environment: { CARTULARY_PASSPHRASE: 'other' },
    });
    assert.match(wrong.stderr, /service\.sealed does not open: the passphrase is another one/);
    assert.deepEqual([wrong.code, existsSync(restored)], [1, false]);
    const right = await runProgram(['restore', backup, '--data', restored, '--json'], {
      environment: { CARTULARY_PASSPHRASE: 'a phrase of words' },
    });
    assert.equal((JSON.parse(right.stdout) as { commit: string }).commit, taken.commit);
    await ask('rebuild', '--data', restored);
    const archived = await ask<{ archived_up_to: number }>('audit', 'archive', '--before', '4', '--data', restored);
    assert.equal(archived.archived_up_to, 3);
    const { sound } = await ask<{ sound: boolean }>('verify', '--data', restored);
    assert.equal(sound, true);
    const none = await runProgram(['backup', join(folder, 'second'), '--data', restored]);
    assert.match(none.stderr, /There is no passphrase\. Give --passphrase-file, or set CARTULARY_PASSPHRASE/);
    assert.equal(none.code, 2);
  }).timeout(60_000);
});
