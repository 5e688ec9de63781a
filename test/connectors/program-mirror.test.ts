import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeProgramKind } from '../../lib/connectors/program/program-kind.js';
import { Mirror } from './mirror.js';
import type { Remote } from './remote.js';

/** A program that lists and sends `files`. What is put before it changes what it does. */
const honest = `
  const say = (message) => console.log(JSON.stringify(message));
  var files = globalThis.files ?? { 'a.md': 'first', 'b.md': 'second' };
  var versions = globalThis.versions ?? {};
  var list = globalThis.list ?? (() => Object.keys(files).map((path) => ({ type: 'file', path, version: versions[path] ?? '1' })));
  var sent = {}, asked = {};
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, id, file } = JSON.parse(line);
    if (type === 'hello') say({ type: 'ready', protocol: 1 });
    if (type === 'list') { asked[id] = 'list'; say({ type: 'listing', id, mode: 'snapshot' }); }
    if (type === 'read') asked[id] = file.path;
    if (type === 'cancel' && asked[id]) { delete asked[id]; say({ type: 'cancelled', id }); }
    if (type !== 'next' || asked[id] === undefined) return;
    const base64 = Buffer.from(files[asked[id]] ?? '').toString('base64');
    if (sent[id]) {
      (globalThis.beforeEnd ?? (() => 0))(asked[id]);
      if (asked[id] === 'list') say({ type: 'listed', id, cursor: null, version: null });
      else say({ type: 'complete', id, size: (globalThis.sizeOf ?? ((text) => text.length))(files[asked[id]]) });
      delete asked[id];
    } else if (asked[id] === 'list') say({ type: 'entries', id, entries: list() });
    else say({ type: 'content', id, base64 });
    sent[id] = true;
  }).on('close', () => process.exit());`;

describe('a mirror of an outside program that lies', function () {
  this.timeout(60_000);
  let folder: string;
  let mirror: Mirror;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cartulary-lies-'));
    await mkdir(join(folder, 'cache'));
    await behave('');
    const programs = { it: [process.execPath, join(folder, 'program.cjs')] };
    const remote = { settings: { program: 'it' }, secret: null, allowance: { programs } } as unknown as Remote;
    mirror = await Mirror.connect(remote, makeProgramKind(), join(folder, 'cache'));
  });
  after(async () => {
    await mirror.close();
    await rm(folder, { recursive: true });
  });

  const changed = `globalThis.versions = { 'a.md': '2' }; globalThis.files = { 'a.md': 'lies', 'b.md': 'second' };`;
  const lies: readonly [what: string, before: string, outcome: string, fault: string | null][] = [
    [
      'dies before a listing ends',
      `globalThis.beforeEnd = () => process.exit(0); globalThis.list = () => []`,
      'failed',
      'internal',
    ],
    ['prints something before a listing ends', `globalThis.beforeEnd = () => console.log('oops')`, 'failed', 'corrupt'],
    [
      'dies before a changed file ends',
      `${changed} globalThis.beforeEnd = (of) => of === 'list' || process.exit(1)`,
      'failed',
      'internal',
    ],
    ['sends half a changed file', `${changed} globalThis.sizeOf = () => 100`, 'failed', 'corrupt'],
  ];
  for (const [what, before, outcome, fault] of lies) {
    it(`stays as it was when the program ${what}`, async () => {
      const commits = mirror.commits;
      await behave(before);
      const run = await mirror.sync();
      assert.deepEqual([run.outcome, run.fault], [outcome, fault], JSON.stringify(run));
      assert.equal(mirror.commits, commits);
      await requireSame();
    });
  }

  it('leaves out names that lead elsewhere, and keeps the others', async () => {
    const names = [
      '../../etc/passwd',
      '/etc/passwd',
      'x/../../y',
      '.git/config',
      'a\0b',
      'a//b',
      './a',
      'x\\y',
      '\u202ecod.md',
      'x/',
    ];
    await behave(
      `globalThis.list = () => [...Object.keys(files), ...${JSON.stringify(names)}].map((path) => ({ type: 'file', path, version: '1' }))`,
    );
    const run = await mirror.sync();
    assert.equal(run.counts.skipped, names.length, JSON.stringify(run));
    await requireSame();
  });

  it('goes on when the program is honest again', async () => {
    await behave(changed);
    assert.equal((await mirror.sync()).outcome, 'changed');
    assert.equal(String((await mirror.documents()).get('a.md')), 'lies');
  });

  it('waits for approval when the program lists nothing at all', async () => {
    const last = new Map(await mirror.documents());
    await behave('globalThis.list = () => [];');
    assert.equal((await mirror.sync()).outcome, 'held');
    assert.deepEqual(await mirror.documents(), last);
  });

  const behave = (before: string): Promise<void> => writeFile(join(folder, 'program.cjs'), `${before}\n${honest}`);

  async function requireSame(): Promise<void> {
    const documents = [...(await mirror.documents())].map(([path, content]) => [path, String(content)]);
    assert.deepEqual(Object.fromEntries(documents), { 'a.md': 'first', 'b.md': 'second' });
  }
});
