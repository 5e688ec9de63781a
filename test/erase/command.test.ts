import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';
import { findTraces } from '../support/store/evidence.js';

describe('cartulary erase', function () {
  this.timeout(timeout);
  after(tidyUp);

  it('shows the document, asks for its name, destroys the document, and leaves a receipt without names', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await writeFile(join(folder, 'secret-plan.md'), 'cormorantsecret');
    await writeFile(join(folder, 'other.md'), 'other');
    await ask('import', folder, '--into', 'handbook', '--data', data);
    const location = 'handbook/secret-plan.md';

    const silent = await runProgram(['erase', location, '--data', data]);
    assert.equal(silent.code, 2);
    assert.match(
      silent.stderr,
      /secret-plan\.md is doc_[0-9a-f]{32}: made \d{4}-\S+ by [^;]+; 1 version, 0 comments\..*--document doc_/,
    );
    const document = ['--document', await lookAt(location, '--yes', 'secret-plan.md', '--data', data)];
    const unnamed = await runProgram(['erase', location, ...document, '--data', data]);
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.stderr, /Pass it with --yes/);
    const wrong = await askRefused('erase', location, ...document, '--yes', 'secret-plan', '--data', data);
    assert.equal(wrong.details?.['reason'], 'name_mismatch');
    const absent = await askRefused('erase', 'handbook/absent.md', '--yes', 'absent.md', '--data', data);
    assert.equal(absent.code, 'NOT_FOUND');

    const { code, stdout, stderr } = await runProgram([
      'erase',
      location,
      ...document,
      '--yes',
      'secret-plan.md',
      '--data',
      data,
    ]);
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

  it('repeated destroys no other document of that name; of several deleted ones it asks for one', async () => {
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
    const third = ['--document', await lookAt(location, '--yes', 'plan.md', '--data', data)];
    await ask(...erase, ...third);
    const again = await askRefused(...erase);
    assert.equal(again.code, 'NOT_FOUND');
    assert.match(again.message, /--deleted.*cartulary erasures/s);
    const several = await askRefused(...erase, '--deleted');
    assert.equal(several.details?.['reason'], 'several_deleted');
    const [, first] = several.details['documents'] as { id: string; created_at: string }[];
    assert.ok(first !== undefined && several.message.includes(`${first.id} (made ${first.created_at} by `));
    await ask(...erase, '--document', first.id);
    assert.equal((await askRefused(...erase, '--document', first.id)).code, 'NOT_FOUND');
    await ask('folder', 'undelete', 'handbook', '--data', data);
    assert.deepEqual(findTraces(data, ['quokkaone', 'quokkathree']), []);
    await ask(...erase, '--document', await lookAt(location, '--data', data));
  });

  it('repeated in a script, destroys no document that took the place since', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const source = join(folder, 'source');
    await mkdir(source);
    await writeFile(join(source, 'plan.md'), 'the first one');
    await ask('import', source, '--into', 'handbook', '--data', data);
    const erase = ['handbook/plan.md', '--yes', 'plan.md', '--data', data];
    const first = await lookAt(...erase);
    await ask('erase', ...erase, '--document', first);
    await ask('import', source, '--into', 'handbook', '--data', data);
    assert.equal((await askRefused('erase', ...erase, '--document', first)).code, 'NOT_FOUND');
    assert.notEqual(await lookAt(...erase), first);
  });

  /** The document to name in a script. */
  async function lookAt(...parameters: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runProgram(['erase', ...parameters, '--json']);
    assert.equal(code, 2, stderr);
    const { details } = (JSON.parse(stdout) as { error: { details: Record<string, unknown> } }).error;
    assert.equal(details['reason'], 'document_not_named');
    return String(details['document']);
  }
});
