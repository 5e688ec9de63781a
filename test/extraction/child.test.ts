import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ChildLost, ExtractionChild } from '../../lib/extraction/child-process.js';
import { checkTexts, judgeLimits } from '../../lib/commands/operator/check-texts.js';
import { Extractor } from '../../lib/extraction/extractor.js';
import { probeLimits } from '../../lib/extraction/probe-limits.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdfOf, makeStream } from '../support/files/make-pdf.js';
import { readingChildren } from '../support/processes/reading-children.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';

const mebibyte = 1024 * 1024;
const bounds = { memory: 400 * mebibyte, seconds: 20 };
const small = { bytes: makeDocx(wordText('words')), mediaType: '', name: 'a.docx' };

/** A page that takes seconds. */
function makeSlow(): Buffer {
  const places = Array.from(
    { length: 90_000 },
    (_, index) => `1 0 0 1 ${(index * 97) % 600} ${(index * 61) % 780} Tm (word) Tj`,
  );
  const page = makeStream(`BT /F1 1 Tf ${places.join(' ')} ET`);
  return makePdfOf(Array.from({ length: 20 }, () => page));
}

describe('The process that reads files', function () {
  this.timeout(30_000);
  const open: { end(): void }[] = [];
  const start = (isLimited = true, isWatched = false, memory = bounds.memory): ExtractionChild => {
    const child = new ExtractionChild({ ...bounds, memory }, { isLimited, isWatched });
    open.push(child);
    return child;
  };

  afterEach(() => {
    for (const child of open.splice(0)) child.end();
  });

  it('starts with its own folder to read alone, also where Node tells a module by its package and not by its text', () => {
    const folder = path.resolve('dist/program') + path.sep;
    const flags = process.allowedNodeEnvironmentFlags;
    const permission = flags.has('--permission') ? '--permission' : '--experimental-permission';
    const blind = flags.has('--no-experimental-detect-module') ? ['--no-experimental-detect-module'] : [];
    const options = [permission, `--allow-fs-read=${folder}*`, '--no-warnings', ...blind];
    const program = path.join(folder, 'lib-extraction-reading-extract-child.js');
    const maps = path.join(folder, 'pdfjs', 'cmaps') + path.sep;
    const { status, stderr } = spawnSync(process.execPath, [...options, program, maps], {
      input: '',
      encoding: 'utf8',
    });
    assert.deepEqual([status, stderr], [0, '']);
  });

  it('reads one file after the other', async () => {
    const child = start();
    for (const word of ['one', 'two', 'three']) {
      const { extraction } = await child.read({ ...small, bytes: makeDocx(wordText(word)) });
      assert.ok('text' in extraction && extraction.text === `${word}\n`);
      assert.equal(child.isUsable, true);
    }
    assert.equal(child.files, 3);
  });

  it('ends with its first failure', async () => {
    const child = start();
    const { extraction } = await child.read({ ...small, bytes: Buffer.from('PK') });
    assert.deepEqual(extraction, { reason: 'damaged' });
    assert.equal(child.isUsable, false);
    await until('the process has ended', () => !isAlive(child.pid));
  });

  it('that is killed in the middle has lost its file, and says no more', async () => {
    const child = start();
    const reading = child.read({ bytes: makeSlow(), mediaType: '', name: 'slow.pdf' });
    setTimeout(() => process.kill(child.pid ?? 0, 'SIGKILL'), 100);
    await assert.rejects(reading, ChildLost);
    assert.equal(child.isUsable, false);
    await assert.rejects(child.read(small), ChildLost);
  });

  it('is killed where the system does not bound its memory and it takes too much', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const child = start(false, true, 60 * mebibyte);
    const { extraction, peak } = await child.read({ bytes: makeSlow(), mediaType: '', name: 'slow.pdf' });
    assert.deepEqual(extraction, { reason: 'too_much_memory' });
    assert.ok(peak > 60 * mebibyte && peak < 200 * mebibyte, String(peak));
  });

  it('has no environment, no core file, the lowest priority and a bound of its memory', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const child = start();
    await child.read(small);
    const read = (name: string): string => readFileSync(`/proc/${child.pid}/${name}`, 'latin1');
    // The shell sets what it needs itself.
    assert.doesNotMatch(read('environ'), /(?:^|\0)(?!PWD=|OLDPWD=|SHLVL=|_=)[A-Za-z]/);
    const limits = read('limits');
    assert.match(limits, /^Max core file size +0 +0 /m);
    assert.match(limits, /^Max data size +419430400 +419430400 /m);
    assert.match(limits, /^Max cpu time +23 +28 /m);
    assert.equal(read('stat').split(') ')[1]?.split(' ')[16], '19');
    const flags = read('cmdline');
    assert.match(flags, /permission/);
    assert.doesNotMatch(flags, /allow-(?:fs-write|child-process|worker|addons|wasi)/);
  });

  it('has nothing in it that opens a connection', () => {
    const folder = path.join('lib', 'extraction', 'reading');
    const sources = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
    assert.ok(sources.length > 12);
    const net =
      /\b(?:fetch|XMLHttpRequest|WebSocket|EventSource)\s*\(|["'](?:node:)?(?:net|tls|http|https|http2|dgram|dns|cluster|inspector)(?:\/promises)?["']/;
    for (const source of sources) assert.doesNotMatch(source, net);
    const bundle = readFileSync(path.join('dist', 'program', 'lib-extraction-reading-extract-child.js'), 'utf8');
    assert.doesNotMatch(bundle, net);
  });
});

describe('Reading files in turn', function () {
  this.timeout(30_000);
  let extractor: Extractor;

  beforeEach(() => {
    extractor = new Extractor();
  });
  afterEach(async () => {
    extractor.close();
    if (process.platform === 'linux') await until('no process reads', () => readingChildren().length === 0);
  });

  const read = (writer: string, bytes = small.bytes) => extractor.extract({ ...small, bytes, writer });

  it('keeps a process for files of one writer, and lets no other writer have it', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    await read('w/ada');
    const [first] = readingChildren();
    await read('w/ada');
    assert.deepEqual(readingChildren(), [first]);
    await read('w/bob');
    await until('one process reads', () => readingChildren().length === 1);
    assert.notEqual(readingChildren()[0], first);
  });

  it('has one process at a time, and takes files in their order', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const order: string[] = [];
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, readingChildren().length);
    }, 5);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        await read('w/ada');
        order.push(name);
      }),
    );
    clearInterval(watch);
    assert.deepEqual(order, ['a', 'b', 'c', 'd']);
    assert.ok(most <= 1, String(most));
  });

  it('tries a file again whose process was killed from outside', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const reading = extractor.extract({ bytes: makeSmallPdf(), mediaType: '', name: 'b.pdf', writer: 'w/ada' });
    await until('one process reads', () => readingChildren().length === 1);
    process.kill(readingChildren()[0] ?? 0, 'SIGKILL');
    const found = await reading;
    assert.ok('text' in found && found.text.includes('word'));
  });

  it('lets a file that is given up go at once, and not when its turn comes', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const ended: string[] = [];
    const slow = extractor.extract({ bytes: makeSlow(), mediaType: '', name: 'slow.pdf', writer: 'w/ada' });
    const noteSlow = slow.then(
      () => ended.push('slow'),
      () => ended.push('slow'),
    );
    const stop = new AbortController();
    const next = extractor.extract({ ...small, writer: 'w/bob' }, stop.signal);
    const noteNext = assert.rejects(next, ChildLost).then(() => ended.push('given up'));
    const last = read('w/bob');
    await until('one process reads', () => readingChildren().length === 1);
    stop.abort();
    await noteNext;
    const [first = 0] = readingChildren();
    process.kill(first, 'SIGKILL');
    await until('it is tried again', () => readingChildren().some((pid) => pid !== first));
    for (const pid of readingChildren()) if (pid !== first) process.kill(pid, 'SIGKILL');
    await noteSlow;
    assert.deepEqual(ended, ['given up', 'slow']);
    assert.ok('text' in (await last), 'the turn is passed on');
  });

  it('reads no further file in a process that may know one to be forgotten', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'this system has no /proc');
    const [, first] = [await read('w/ada'), readingChildren()[0]];
    const reading = read('w/ada', makeDocx(wordText('other')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(readingChildren(), [first]);
    extractor.dropIdle();
    assert.ok('text' in (await reading));
    await read('w/ada');
    assert.ok(
      readingChildren().some((pid) => pid !== first),
      'a new one',
    );
  });

  it('is bounded by this machine, as the doctor says', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'only Linux keeps these limits');
    const limits = await probeLimits({ memory: 400 * mebibyte, seconds: 30 });
    assert.deepEqual(limits, { hasShell: true, hasNice: true, keepsMemory: true, keepsSeconds: true });
    const found = await checkTexts({ processes: 1, memory: 400 * mebibyte, seconds: 30 });
    assert.equal(found.ok, true);
    const without = (lacking: object): string => judgeLimits({ ...limits, ...lacking }).message;
    assert.match(without({ keepsMemory: false, keepsSeconds: false }), /ulimit -d.*ulimit -t/);
    assert.match(without({ hasNice: false }), /no nice/);
    assert.match(without({ hasShell: false }), /no \/bin\/sh/);
    assert.equal((await checkTexts({ processes: 0, memory: 0, seconds: 0 })).ok, true);
  });

  it('refuses a file that is too large, and one of a kind that is not read, without a process', async () => {
    assert.deepEqual(await read('w/ada', Buffer.alloc(64 * mebibyte + 1)), { reason: 'too_large' });
    const picture = { bytes: small.bytes, mediaType: 'image/png', name: 'a.png', writer: 'w/ada' };
    assert.deepEqual(await extractor.extract(picture), { reason: 'no_text' });
    assert.equal(extractor.reads('image/png', 'a.png'), false);
    assert.equal(extractor.reads('application/pdf', 'a'), true);
    assert.equal(new Extractor({ processes: 0 }).reads('application/pdf', 'a'), false);
  });
});

const makeSmallPdf = (): Buffer => makePdfOf([makeStream('BT /F1 12 Tf 72 720 Td (word) Tj ET')]);

function isAlive(pid = 0): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
