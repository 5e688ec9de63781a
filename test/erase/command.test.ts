import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, patience, runProgram, tidyUp } from '../command/run-program.js';
import { findTraces } from './evidence.js';

describe('cartulary erase', function () {
  this.timeout(patience);
  after(tidyUp);

  it('asks for the name, destroys the document, and leaves a receipt that names nothing', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await writeFile(join(folder, 'secret-plan.md'), 'cormorantsecret');
    await writeFile(join(folder, 'other.md'), 'other');
    await ask('import', folder, '--into', 'handbook', '--data', data);
    const location = 'handbook/secret-plan.md';

    const silent = await runProgram(['erase', location, '--data', data]);
    assert.equal(silent.code, 2);
    assert.match(silent.stderr, /Give it with --yes/);
    const wrong = await askRefused('erase', location, '--yes', 'secret-plan', '--data', data);
    assert.equal(wrong.details?.['reason'], 'name_mismatch');
    const absent = await askRefused('erase', 'handbook/absent.md', '--yes', 'absent.md', '--data', data);
    assert.equal(absent.code, 'NOT_FOUND');

    const { code, stdout, stderr } = await runProgram(['erase', location, '--yes', 'secret-plan.md', '--data', data]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /its history is being rewritten/);
    assert.match(stdout, /^final_at +\d{4}-/m);
    assert.match(stdout, /cannot be recalled/);
    const { items } = await ask<{ items: Record<string, unknown>[] }>('erasures', '--data', data);
    assert.deepEqual(
      items.map(({ versions, bytes, comments }) => ({ versions, bytes, comments })),
      [{ versions: 1, bytes: 15, comments: 0 }],
    );
    assert.doesNotMatch(JSON.stringify(items), /secret/);
    assert.deepEqual(findTraces(data, ['cormorantsecret', 'secret-plan']), []);
    const { sound } = await ask<{ sound: boolean }>('verify', '--data', data);
    assert.ok(sound);
  });

  it('repeated destroys nothing else that had the name; of several deleted ones it asks which', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const location = 'handbook/plan.md';
    for (const text of ['quokkaone', 'quokkatwo', 'quokkathree']) {
      const source = join(folder, text);
      await mkdir(source);
      await writeFile(join(source, 'plan.md'), text);
      await ask('import', source, '--into', 'handbook', '--data', data);
      if (text !== 'quokkathree') await ask('folder', 'delete', 'handbook', '--data', data);
    }
    const erase = ['erase', location, '--yes', 'plan.md', '--data', data];
    await ask(...erase);
    const again = await askRefused(...erase);
    assert.equal(again.code, 'NOT_FOUND');
    assert.match(again.message, /--deleted.*cartulary erasures/s);
    const several = await askRefused(...erase, '--deleted');
    assert.equal(several.details?.['reason'], 'several_deleted');
    const [, first] = several.details['documents'] as { id: string }[];
    assert.ok(first !== undefined && several.message.includes(first.id));
    await ask(...erase, '--document', first.id);
    assert.equal((await askRefused(...erase, '--document', first.id)).code, 'NOT_FOUND');
    await ask('folder', 'undelete', 'handbook', '--data', data);
    assert.deepEqual(findTraces(data, ['quokkaone', 'quokkathree']), []);
    await ask(...erase);
  });
});
