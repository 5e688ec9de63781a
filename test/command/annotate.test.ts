import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ask,
  askRefused,
  makeFolder,
  timeout,
  runProgram,
  serve,
  tidyUp,
  type RunningProgram,
} from '../support/processes/run-program.js';

describe('the command line on claims, comments and labels', function () {
  this.timeout(timeout);

  let data: string;
  let server: RunningProgram;

  before(async () => {
    const folder = await makeFolder();
    data = join(folder, 'data');
    server = await serve(data);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await mkdir(join(folder, 'files'));
    await writeFile(join(folder, 'files', 'a.md'), '# Travel\n\nBook trains.\n\n# Hotels\n');
    await ask('import', join(folder, 'files'), '--into', 'team', '--data', data);
  });
  after(async () => {
    await server.stop();
    await tidyUp();
  });

  it('takes, renews, lists and releases a claim', async () => {
    const taken = await ask<Shown>(
      ...at('claim take', 'team/a.md', '--section', 'hotels', '--for', '10m', '--purpose', 'New rates'),
    );
    assert.deepEqual([taken['section'], taken['purpose'], taken['renewed']], ['hotels', 'New rates', false]);
    const id = String(taken['id']);
    const renewed = await ask<Shown>(...at('claim renew', id, '--for', '2h'));
    assert.ok(String(renewed['expires_at']) > String(taken['expires_at']));
    const { items } = await ask<Listed>(...at('claim list', '--location', 'team'));
    assert.deepEqual([items.length, items[0]?.['id'], items[0]?.['location']], [1, id, 'team/a.md']);
    assert.equal((await ask<Shown>(...at('claim release', id)))['released'], true);
    assert.deepEqual((await ask<Listed>(...at('claim list'))).items, []);
    assert.equal((await askRefused(...at('claim renew', id))).code, 'CONFLICT');
    assert.equal((await askRefused(...at('claim take', 'team/a.md', '--for', 'long'))).details?.['field'], 'for');
    assert.match((await askRefused(...at('claim release', 'clm_x'))).message, /cartulary claim list/);
  });

  it('writes, answers, edits, resolves and deletes comments', async () => {
    const asked = await ask<Shown>(...at('comment add', 'team/a.md', '--text', 'Buses?', '--quote', 'Book trains'));
    const [id, thread] = [String(asked['id']), String(asked['thread_id'])];
    await ask(...at('comment add', 'team/a.md', '--text', 'Too.', '--thread', thread));
    assert.equal(
      (await ask<Shown>(...at('comment edit', 'team/a.md', '--comment', id, '--text', 'And buses?')))['text'],
      'And buses?',
    );
    const { items } = await ask<Listed>(...at('comment list', 'team/a.md'));
    assert.deepEqual(
      items.map(({ text, anchor }) => [text, (anchor as Shown)['line']]),
      [
        ['And buses?', 3],
        ['Too.', 3],
      ],
    );
    const resolved = await ask<Shown>(...at('comment resolve', 'team/a.md', '--thread', thread));
    assert.deepEqual([resolved['id'], typeof (resolved['resolved'] as Shown)['at']], [thread, 'string']);
    assert.deepEqual((await ask<Listed>(...at('comment list', 'team/a.md', '--open'))).items, []);
    assert.equal(
      (await ask<Shown>(...at('comment resolve', 'team/a.md', '--thread', thread, '--reopen')))['resolved'],
      null,
    );
    assert.equal((await ask<Shown>(...at('comment delete', 'team/a.md', '--comment', id)))['deleted'], true);
    assert.match((await askRefused(...at('comment delete', 'team/a.md', '--comment', id))).message, /no such comment/);
  });

  it('adds, lists, sets and removes labels', async () => {
    const added = await ask<Shown>(...at('label add', 'team/a.md', '--labels', 'travel, policy'));
    assert.deepEqual(added, { location: 'team/a.md', labels: ['policy', 'travel'] });
    assert.deepEqual((await ask<Shown>(...at('label remove', 'team/a.md', '--labels', 'travel')))['labels'], [
      'policy',
    ]);
    assert.deepEqual((await ask<Shown>(...at('label list', 'team/a.md')))['labels'], ['policy']);
    assert.deepEqual((await ask<Shown>(...at('label set', 'team/a.md', '--labels', '')))['labels'], []);
    const { code, stdout } = await runProgram(at('label list', 'team/a.md'));
    assert.deepEqual([code, stdout], [0, 'location  team/a.md\nlabels    -\n']);
    assert.equal((await askRefused(...at('label add', 'team/none.md', '--labels', 'x'))).code, 'NOT_FOUND');
  });

  const at = (words: string, ...rest: string[]): string[] => [...words.split(' '), ...rest, '--data', data];
});

interface Shown {
  readonly [name: string]: unknown;
}

interface Listed {
  readonly items: readonly Shown[];
}
