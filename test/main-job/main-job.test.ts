import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ask, makeFolder, serve, tidyUp } from '../support/processes/run-program.js';
import { until } from '../support/until.js';
import { skipBecause } from '../support/skip.js';
import { Api, type Answer } from './api.js';

const run = promisify(execFile);

/** Milliseconds; a few seconds on an idle machine. */
const timeout = 240_000;
const clients = 16;

/** Real documentation, present on many machines: this store's main use, at a real size. */
const trees: readonly { readonly into: string; readonly folder: string | undefined }[] = [
  { into: 'npm', folder: findNpmDocs() },
  { into: 'git', folder: existsSync('/usr/share/doc/git/RelNotes') ? '/usr/share/doc/git' : undefined },
];

describe('The main job on real documentation', function () {
  this.timeout(timeout);

  let data: string;
  let url: string;
  let admin: Api;
  let writers: Api[];
  const sources = new Map<string, Buffer>();
  /** Every acknowledged write of shared documents: the sent text, by the returned ETag. */
  const acknowledged = new Map<string, { readonly location: string; readonly content: string }>();
  const shared = Array.from({ length: 8 }, (_, index) => `notes/shared-${index}.md`);

  before(async function () {
    if (trees.every(({ folder }) => folder === undefined)) {
      skipBecause(this, "neither npm's documentation nor /usr/share/doc/git is here; Debian: apt-get install git-doc");
    }
    data = join(await makeFolder(), 'data');
    ({ url } = await serve(data));
    const first = await ask<{ key: string; admin: string }>(
      'init',
      '--data',
      data,
      '--workspace',
      'docs',
      '--admin',
      'Ada',
    );
    await ask('policy', 'set', 'requests_per_minute', '10000000', '--data', data);
    await ask('policy', 'set', 'burst', '100000', '--data', data);
    admin = new Api(url, first.key);
    writers = [];
    for (let number = 0; number < clients; number += 1) {
      const { id } = await ask<{ id: string }>(
        'principal',
        'add',
        `Writer ${number}`,
        '--kind',
        'agent',
        '--data',
        data,
      );
      const subject = `principal:${id}`;
      const grant = ['--scope-type', 'folder', '--scope-id', '', '--subject', subject, '--role', 'editor'];
      await ask('grant', 'add', ...grant, '--data', data);
      const { key } = await ask<{ key: string }>('key', 'mint', '--principal', id, '--rest', '--data', data);
      writers.push(new Api(url, key));
    }
  });

  after(tidyUp);

  for (const { into, folder } of trees) {
    it(`imports all of ${into}'s documentation, and a second run finds nothing left to do`, async function () {
      if (folder === undefined) skipBecause(this, `${into}'s documentation is not on this machine`);
      const files = await readTree(folder);
      const importing = ['import', folder, '--into', into, '--data', data];
      const once = await ask<{ created: number; skipped: { reason: string }[] }>(...importing);
      assert.equal(once.created, files.size);
      assert.ok(files.size > 100, 'a tree worth the name');
      for (const { reason } of once.skipped) assert.match(reason, /symbolic link/);
      const again = await ask<{ created: number; unchanged: number }>(...importing);
      assert.deepEqual([again.created, again.unchanged], [0, files.size]);
      for (const [path, bytes] of files) sources.set(`${into}/${path}`, bytes);
    });
  }

  it('takes the writes of sixteen clients at once, with no update lost and no create done twice', async () => {
    for (const location of shared) await admin.post('/v1/documents', { location, content: '' });
    await Promise.all(writers.map((api, number) => write(api, number)));
    for (const location of shared) {
      const lines = (await admin.read(location)).bytes.toString().trimEnd().split('\n');
      const sent = [...acknowledged.values()].filter((each) => each.location === location);
      assert.equal(lines.length, sent.length, location);
      assert.equal(new Set(lines).size, lines.length, location);
    }
    assert.equal(acknowledged.size, clients * shared.length);
  });

  /** One client's work: a line to each shared document, pages of its own, a rename, a move, an undone delete. */
  async function write(api: Api, number: number): Promise<void> {
    const own = `desk-${number}`;
    for (let transaction = 0; transaction < shared.length; transaction += 1) {
      const location = shared[(number + transaction) % shared.length] ?? '';
      let answer: Answer;
      do {
        const seen = await api.read(location);
        const content = `${seen.bytes.toString()}line of writer ${number}\n`;
        answer = await api.put(location, content, seen.etag);
        if (answer.status === 200) acknowledged.set(answer.etag, { location, content });
      } while (answer.status === 409);
      assert.equal(answer.status, 200, answer.bytes.toString());

      const page = {
        location: `${own}/page-${transaction}.md`,
        content: `# Page ${transaction}\n\nby writer ${number}\n`,
      };
      const created = await Promise.all([1, 2].map(() => api.post('/v1/documents', page, `${own}-${transaction}`)));
      assert.deepEqual(
        created.map(({ status }) => status),
        [201, 201],
      );
      assert.equal(created[0]?.etag, created[1]?.etag);
    }
    const done = [
      await api.post('/v1/renames', { location: `${own}/page-0.md`, name: 'first page.md' }),
      await api.post('/v1/moves', { location: `${own}/page-1.md`, to_folder: `moved/${own}` }),
      await api.delete(`${own}/page-2.md`, '*'),
      await api.post('/v1/undeletes', { location: `${own}/page-2.md` }),
      await api.delete(`${own}/page-3.md`, '*'),
    ];
    assert.deepEqual(
      done.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
  }

  it('is cloned by git with every byte that REST gives, and with every version', async () => {
    const repository = join(data, 'docs', 'content.git');
    const last = await admin.post('/v1/documents', { location: 'last.md', content: 'the newest commit\n' });
    const newest = last.etag.replaceAll('"', '');
    const head = async (): Promise<string> => (await git('-C', repository, 'rev-parse', 'main')).trim();
    await until('the commit reaches the repository', async () => (await head()) === newest, 60_000);
    const clone = join(await makeFolder(), 'clone');
    await git('clone', '--quiet', repository, clone);
    for (const folder of [repository, clone]) await git('-C', folder, 'fsck', '--strict', '--no-dangling');

    const locations = await admin.walk('');
    const throughRest = new Map<string, Buffer>();
    for (const location of locations) throughRest.set(location, (await admin.read(location)).bytes);
    assert.equal(throughRest.size, locations.length, 'nothing is listed twice');
    const cloned = await readTree(clone);
    for (const path of cloned.keys()) if (path.startsWith('.git/')) cloned.delete(path);
    assertSameFiles(cloned, throughRest);
    for (const [path, bytes] of sources) assert.ok(cloned.get(path)?.equals(bytes), `${path} came in as it was`);
    assert.equal(cloned.size, sources.size + shared.length + clients * 7 + 1);

    for (const [etag, { location, content }] of acknowledged) {
      assert.equal(await git('-C', clone, 'show', `${etag.replaceAll('"', '')}:${location}`), content);
    }
  });

  it('is exported as a zip with the same bytes', async function () {
    await run('unzip', ['-v']).catch(() => skipBecause(this, 'unzip is not on this machine'));
    const folder = await makeFolder();
    const target = join(folder, 'files');
    await mkdir(target);
    const { status, bytes } = await admin.send('GET', '/v1/folders/export?location=');
    assert.equal(status, 200);
    await writeFile(join(folder, 'all.zip'), bytes);
    await run('unzip', ['-q', join(folder, 'all.zip'), '-d', target], { maxBuffer: 1 << 26 });
    const exported = await readTree(target);
    assert.equal(exported.size, (await admin.walk('')).length);
    for (const [path, expected] of sources) assert.ok(exported.get(path)?.equals(expected), path);
  });

  it('finds the words of the documents, and is sound from end to end', async function () {
    if (!sources.has('git/RelNotes/2.0.0.txt')) skipBecause(this, "git's documentation is not on this machine");
    const { bytes } = await admin.send('GET', '/v1/search?q=%22matching%20semantics%22&location=git/RelNotes');
    const { items } = JSON.parse(bytes.toString()) as { items: { location: string; snippet: string }[] };
    assert.ok(
      items.some(({ location }) => location === 'git/RelNotes/2.0.0.txt'),
      bytes.toString(),
    );
    const report = await ask<{ sound: boolean }>('verify', '--data', data);
    assert.equal(report.sound, true, JSON.stringify(report));
  });
});

/** npm's own documentation, beside the Node that runs this or the npm that started it. */
function findNpmDocs(): string | undefined {
  const started = process.env['npm_execpath'];
  const places = [
    ...(started === undefined ? [] : [join(dirname(started), '..', 'docs')]),
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'docs'),
  ];
  return places.find((place) => existsSync(place));
}

/** Contents of all regular files below a folder, by their paths in it. */
async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file)] as const)));
}

async function git(...parameters: string[]): Promise<string> {
  const { stdout } = await run('git', parameters, { maxBuffer: 1 << 28, env: { ...process.env, LC_ALL: 'C' } });
  return stdout;
}

/** Compares two sets of files byte by byte, naming the first difference. */
function assertSameFiles(actual: ReadonlyMap<string, Buffer>, expected: ReadonlyMap<string, Buffer>): void {
  assert.deepEqual([...actual.keys()].toSorted(), [...expected.keys()].toSorted());
  for (const [path, bytes] of expected) assert.ok(actual.get(path)?.equals(bytes), `${path} differs`);
}
