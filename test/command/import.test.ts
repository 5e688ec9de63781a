import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askRefused, makeFolder, tidyUp, runProgram, serve, timeout } from '../support/processes/run-program.js';

const reasons: readonly (readonly [string, RegExp])[] = [
  ['.keep', /reserved/],
  ['bad\\folder', /backslash/],
  ['latin\ufffd.md', /UTF-8/],
  ['link.md', /symbolic link/],
  ['linked-folder', /symbolic link/],
  ['policies/.git', /git's own/],
];

for (const mode of ['without a server', 'beside a server'] as const) {
  describe(`the command line imports a folder ${mode}`, function () {
    this.timeout(timeout);

    afterEach(tidyUp);

    it('is refused once, not for every file, where a document is', async () => {
      const data = join(await makeFolder(), 'data');
      const source = await makeSource();
      await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
      await ask('import', source, '--into', 'team', '--data', data);
      const refused = await askRefused('import', source, '--into', 'team/welcome.md', '--data', data);
      assert.deepEqual([refused.code, refused.details?.['reason']], ['CONFLICT', 'name_taken']);
      assert.match(refused.message, /"team\/welcome.md" is a document/);
    });

    it('imports all it can, skips the rest with reasons, and leaves existing documents when run again', async () => {
      const data = join(await makeFolder(), 'data');
      const source = await makeSource();
      const server = mode === 'beside a server' ? await serve(data) : undefined;
      await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
      const importing = ['import', source, '--into', 'handbook', '--data', data];
      const first = await ask<Imported>(...importing);
      assert.deepEqual([first.created, first.unchanged], [3, 0]);
      assert.equal(typeof first.seconds, 'number');
      assert.deepEqual(first.skipped.map(({ path }) => path).toSorted(), reasons.map(([path]) => path).toSorted());
      for (const [path, reason] of reasons) {
        assert.match(first.skipped.find((skipped) => skipped.path === path)?.reason ?? '', reason, path);
      }

      await writeFile(join(source, 'new.md'), 'new');
      await writeFile(join(source, 'welcome.md'), 'changed');
      const second = await ask<Imported>(...importing);
      assert.deepEqual([second.created, second.unchanged], [1, 2]);
      assert.match(second.skipped.find(({ path }) => path === 'welcome.md')?.reason ?? '', /lives at "handbook/);
      const verified = await ask<{ workspaces: { documents: number }[] }>('verify', '--data', data);
      assert.equal(verified.workspaces[0]?.documents, 4);
      await server?.stop();
    });
  });
}

describe('the command line imports', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('thousands of files in few commits, telling how far it is', async () => {
    const folder = await makeFolder();
    const [data, source] = [join(folder, 'data'), join(folder, 'source')];
    await mkdir(source);
    const names = Array.from({ length: 600 }, (_, index) => `document-${index}.md`);
    await Promise.all(names.map((name) => writeFile(join(source, name), `# ${name}\n`)));
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const { code, stdout, stderr } = await runProgram(['import', source, '--into', '/', '--data', data]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^600 created, 0 unchanged, 0 skipped in [\d.]+ s\.$/m);
    assert.match(stderr, /^600 created, 0 unchanged, 0 skipped \(\d+ a second\)$/m);
    const { workspaces } = await ask<{ workspaces: { documents: number; audit: { records: number } }[] }>(
      'status',
      '--data',
      data,
    );
    assert.equal(workspaces[0]?.documents, 600);
    assert.ok((workspaces[0]?.audit.records ?? 999) < 12, 'a record for each batch, not for each file');
  });

  it('never takes the service’s own files for documents, by any path', async () => {
    const folder = await makeFolder();
    const data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await symlink(data, join(folder, 'other-name'));
    for (const directory of [data, join(data, 'acme'), join(folder, 'other-name', 'acme')]) {
      const refused = await askRefused('import', directory, '--into', 'self', '--data', data);
      assert.deepEqual(refused.details, { reason: 'bad_field', field: 'directory' }, directory);
    }
    const around = await ask<Imported>('import', folder, '--into', 'self', '--data', data).catch(() => undefined);
    assert.equal(around?.created ?? 0, 0);
  });

  it('fails where nothing could be imported, and where there is no such folder', async () => {
    const folder = await makeFolder();
    const [data, source] = [join(folder, 'data'), join(folder, 'source')];
    await mkdir(source);
    await symlink('nowhere', join(source, 'link'));
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const nothing = await runProgram(['import', source, '--into', 'x', '--data', data, '--json']);
    assert.equal(nothing.code, 1);
    assert.equal((JSON.parse(nothing.stdout) as Imported).skipped.length, 1);
    const missing = await askRefused('import', join(source, 'nowhere'), '--into', 'x', '--data', data);
    assert.deepEqual(missing.details, { reason: 'bad_field', field: 'directory' });
    const bad = await askRefused('import', source, '--into', 'a//b', '--data', data);
    assert.equal(bad.details?.['field'], 'into');
  });
});

describe('the command line imports a folder with files that programs put there', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('says how many there are, and leaves names out where it is asked to', async () => {
    const [data, source] = [join(await makeFolder(), 'data'), join(await makeFolder(), 'source')];
    await mkdir(join(source, 'site', 'node_modules', 'some'), { recursive: true });
    await writeFile(join(source, 'site', 'node_modules', 'some', 'index.js'), '1');
    await writeFile(join(source, 'site', 'node_modules.md'), 'a page');
    await writeFile(join(source, '.env'), 'SECRET=1');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const all = await runProgram(['import', source, '--into', 'all', '--data', data]);
    assert.equal(all.code, 0, all.stderr);
    assert.match(all.stderr, /^1 of the files are in folders named node_modules\. --skip node_modules leaves/m);
    const leaving = ['--skip', 'node_modules,.env', '--data', data];
    const some = await ask<Imported & { installed?: object }>('import', source, '--into', 'some', ...leaving);
    assert.deepEqual([some.created, some.installed], [1, undefined]);
    assert.deepEqual(
      some.skipped.map(({ path }) => path),
      ['.env', 'site/node_modules'],
    );
  });
});

interface Imported {
  readonly created: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly seconds: number;
}

/** A folder with three documents, one of them large, and one of each kind of entry that cannot be imported. */
async function makeSource(): Promise<string> {
  const source = join(await makeFolder(), 'source');
  await mkdir(join(source, 'policies', '.git'), { recursive: true });
  await mkdir(join(source, 'bad\\folder'));
  await mkdir(join(source, 'empty'));
  await writeFile(join(source, 'welcome.md'), '# Welcome\n');
  await writeFile(join(source, 'policies', 'cafe\u0301.md'), 'decomposed\n');
  await writeFile(join(source, 'large.bin'), Buffer.alloc(3_000_000, 7));
  await writeFile(join(source, 'policies', '.git', 'config'), '[core]');
  await writeFile(join(source, 'bad\\folder', 'inside.md'), 'unreachable');
  await writeFile(join(source, '.keep'), '');
  await writeFile(Buffer.concat([Buffer.from(`${source}/latin`), Buffer.from([0xe9]), Buffer.from('.md')]), 'Latin 1');
  await symlink('/etc/passwd', join(source, 'link.md'));
  await symlink('policies', join(source, 'linked-folder'));
  return source;
}
