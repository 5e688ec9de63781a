import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  ask,
  askRefused,
  makeFolder,
  runProgram,
  serve,
  tidyUp,
  timeout,
  type Outcome,
  type RunningProgram,
} from '../support/processes/run-program.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { openTestServer } from '../support/http/server.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));

describe('documents on the command line', function () {
  this.timeout(timeout);

  let folder: string;
  let data: string;
  let server: RunningProgram | undefined;

  before(async () => {
    folder = await makeFolder();
    data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    server = await serve(data);
  });
  after(async () => {
    await server?.stop();
    await tidyUp();
  });

  it('put makes a document, and overwrites none without the version that was read', async () => {
    const made = await put('handbook/travel.md', 'one\n');
    assert.deepEqual([made.location, made.created], ['handbook/travel.md', true]);
    const source = await file('sent', 'two\n');
    const taken = await askRefused(...on('put', 'handbook/travel.md', source));
    assert.match(taken.message, /already|--if-match.*--replace/);
    assert.equal((await run('cat', 'handbook/travel.md')).stdout, 'one\n');

    const second = await put('handbook/travel.md', 'two\n', '--if-match', made.version);
    assert.equal(second.created, false);
    const stale = await askRefused(...on('put', 'handbook/travel.md', source, '--if-match', made.version));
    assert.equal(stale.details?.['reason'], 'stale_if_match');
    await put('handbook/travel.md', 'three\n', '--replace');
    assert.equal((await run('cat', 'handbook/travel.md')).stdout, 'three\n');
    assert.equal((await run('cat', 'handbook/travel.md', '--version', made.version)).stdout, 'one\n');
    assert.equal((await put('handbook/new.md', 'n\n', '--replace')).created, true);
  });

  it('put takes standard input, and a folder with / takes a file under its own name', async () => {
    const piped = await inShell('printf "from a pipe" | "$0" "$1" put notes/piped.md - --data "$2" --quiet');
    assert.match(piped.stdout, /^[0-9a-f]{40}\n$/, piped.stderr);
    assert.equal((await run('cat', 'notes/piped.md')).stdout, 'from a pipe');
    const named = await ask<Stored>(...on('put', 'notes/', await file('plan.md', 'p')));
    assert.equal(named.location, 'notes/plan.md');
    for (const words of [
      ['put', 'notes/', '-'],
      ['put', 'notes/x', folder],
    ]) {
      const { code, stderr } = await run(...words);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /is a folder/);
    }
    assert.match((await run('put', 'notes/x', join(folder, 'none'))).stderr, /none is not there/);
  });

  it('the bytes come back exactly, with a server and without one', async () => {
    const bytes = Buffer.alloc(
      3_000_001,
      Uint8Array.from({ length: 251 }, (_, index) => (index * 7) % 256),
    );
    await ask(...on('put', 'bin/large.bin', await file('large', bytes)));
    const out = join(folder, 'out');
    const copied = await inShell(`"$0" "$1" cat bin/large.bin --data "$2" > ${out}`);
    assert.equal(copied.code, 0, copied.stderr);
    assert.ok((await readFile(out)).equals(bytes));
    await server?.stop();
    server = undefined;
    const alone = await inShell(
      `"$0" "$1" put bin/copy.bin ${out} --data "$2" && "$0" "$1" cat bin/copy.bin --data "$2" | cmp - ${out}`,
    );
    assert.equal(alone.code, 0, alone.stderr);
    server = await serve(data);
  });

  it('content whose sender dies before its end never becomes a version', async () => {
    const socket = connect(join(data, 'cartulary.sock'));
    const fields = { location: 'notes/half.md' };
    socket.write(`${JSON.stringify({ command: 'put', fields, hasContent: true })}\n`);
    socket.write(`${Buffer.from('the first half').toString('base64')}\n`);
    socket.end();
    await once(socket.resume(), 'close');
    assert.equal((await askRefused(...on('cat', 'notes/half.md'))).code, 'NOT_FOUND');
  });

  it('a reader that does not read is given one piece, and its leaving ends the read', async () => {
    const here = await openTestServer();
    const ada = await here.person('approver', '', 'Ada');
    const bytes = Buffer.alloc(3_000_000, 'x');
    const stored = await ada.post('/v1/documents?location=large.bin', bytes);
    assert.equal(stored.status, 201);
    const leaving = new AbortController();
    let pieces = 0;
    let leave = (): void => undefined;
    const answered = runCommand(
      { command: 'cat', fields: { location: 'large.bin' } },
      {
        host: here.host.service,
        server: null,
        address: 'http://localhost',
        signal: leaving.signal,
        onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
        onProgress() {
          pieces += 1;
          return new Promise((resolve) => (leave = resolve));
        },
      },
    );
    await until('the first piece is there', () => pieces === 1);
    await pause(50);
    assert.equal(pieces, 1);
    leaving.abort();
    leave();
    assert.match(JSON.stringify(await answered), /UNAVAILABLE.*interrupted/);
    assert.equal(pieces, 1);
    await here.close();
  });

  it('ls shows one level in pages, and a document by its own name', async () => {
    assert.deepEqual((await run('ls')).stdout.split('\n'), ['bin/', 'handbook/', 'notes/', '']);
    assert.deepEqual((await run('ls', '/notes/')).stdout.split('\n'), ['notes/piped.md', 'notes/plan.md', '']);
    assert.equal((await run('ls', 'notes/plan.md')).stdout, 'notes/plan.md\n');
    const long = await run('ls', 'notes', '-l');
    assert.match(long.stdout, /^location +size +updated_at +updated_by +etag\nnotes\/piped\.md +11 /);
    const lines = (await run('ls', 'notes', '--json')).stdout.trimEnd().split('\n');
    const [first] = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    assert.deepEqual([lines.length, first?.['type'], first?.['size']], [2, 'document', 11]);
    assert.match(String(first?.['etag']), /^"[0-9a-f]{40}"$/);
    const many = join(folder, 'many');
    const source = await inShell(`mkdir ${many} && cd ${many} && for i in $(seq 450); do echo $i > $i.md; done`);
    assert.equal(source.code, 0);
    await ask(...on('import', many, '--into', 'many'));
    assert.equal((await run('ls', 'many')).stdout.trimEnd().split('\n').length, 450);
    assert.equal((await askRefused(...on('ls', 'nowhere'))).code, 'NOT_FOUND');
    assert.equal((await run('ls', 'nowhere')).code, 1);
  });

  it('search finds lines by their very characters or by a pattern', async () => {
    await put('lines/fares.md', `# Fares\n${'filler\n'.repeat(30)}Rail (2nd class)\nBus\n`);
    await put('lines/more.md', 'Rail (2nd class) only\n'.repeat(25));
    const exact = await run('search', '--exact', '(2nd class)', '--in', 'lines/fares.md', '--context', '1');
    const around = ['lines/fares.md-31- filler', 'lines/fares.md:32: Rail (2nd class)', 'lines/fares.md-33- Bus', ''];
    assert.deepEqual(exact.stdout.split('\n'), around);
    const all = await run('search', '--pattern', '(?i)^rail .*class', '--in', 'lines', '--limit', '200', '--json');
    assert.equal((JSON.parse(all.stdout) as { items: unknown[] }).items.length, 26, 'through several pages');
    assert.equal((await run('search', '--exact', 'rail', '--in', 'lines')).stderr, 'Nothing was found.\n');
    assert.equal((await askRefused(...on('search', '--pattern', '('))).details?.['reason'], 'bad_pattern');
    assert.match((await run('search', '--pattern', '--exact', 'a')).stderr, /Either --exact or --pattern/);
    assert.equal((await askRefused(...on('search', '--exact', 'a', '--context', '6'))).details?.['field'], 'context');
  });

  it('search finds words, in a folder if one is named', async () => {
    await put('handbook/rail.md', 'Book the rail tickets at the desk.\n');
    const found = await run('search', 'rail', 'tickets');
    assert.match(found.stdout, /^handbook\/rail\.md\n {2}Book the rail tickets/);
    const none = await run('search', 'rail', '--in', 'notes');
    assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'Nothing was found.\n']);
    assert.equal((await askRefused(...on('search', 'rail', '--limit', '201'))).details?.['field'], 'limit');
  });

  it('mv renames, moves, does both, and names who would gain access', async () => {
    await put('work/a.md', 'a\n');
    const to = async (...words: readonly string[]): Promise<string> =>
      (await ask<{ to: string }>(...on('mv', ...words))).to;
    assert.equal(await to('work/a.md', 'work/b.md'), 'work/b.md');
    assert.equal(await to('work/b.md', 'handbook/'), 'handbook/b.md');
    assert.equal(await to('handbook/b.md', 'notes'), 'notes/b.md');
    assert.equal(await to('notes/b.md', 'archive/2026/c.md'), 'archive/2026/c.md');
    assert.equal(await to('archive/2026', 'old/kept'), 'old/kept');
    assert.equal((await run('cat', 'old/kept/c.md')).stdout, 'a\n');
    await ask(...on('principal', 'add', 'Bob', '--kind', 'person'));
    await ask(...on('grant', 'add', 'open/', 'reader', 'Bob'));
    const refused = await askRefused(...on('mv', 'old/kept/c.md', 'open/c.md'));
    const digest = /Bob \(reader\)\. To move it, add --accept-access (\S+)\.$/.exec(refused.message)?.[1];
    assert.ok(digest !== undefined, refused.message);
    assert.equal(await to('old/kept/c.md', 'open/c.md', '--accept-access', digest), 'open/c.md');
    const history = await run('document', 'history', 'open/c.md');
    assert.match(history.stdout, /notes\/b\.md > archive\/2026\/c\.md/);
    await server?.stop();
    server = undefined;
    const checked = await run('verify');
    assert.equal(checked.code, 0, checked.stdout + checked.stderr);
    server = await serve(data);
  });

  it('document retry-text has the text of a file made again, and says where there is nothing to try', async () => {
    await ask(...on('put', 'scans/a.docx', await file('a.docx', Uint8Array.from([0, 27, 99]))));
    const tried = await run('document', 'retry-text', 'scans/a.docx');
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, /waiting/);
    await put('scans/a.txt', 'a text');
    const refused = await askRefused(...on('document', 'retry-text', 'scans/a.txt'));
    assert.match(refused.message, /nothing to try again/);
  });

  it('rm deletes a document, says how it comes back, and leaves folders alone', async () => {
    const made = await put('gone/x.md', 'x\n');
    const wrong = await askRefused(...on('rm', 'gone/x.md', '--if-match', made.version.replaceAll(/[0-9]/g, 'f')));
    assert.equal(wrong.details?.['reason'], 'stale_if_match');
    const folderRefused = await askRefused(...on('rm', 'gone'));
    assert.match(folderRefused.message, /folder delete/);
    const removed = await run('rm', 'gone/x.md');
    assert.equal(removed.code, 0, removed.stderr);
    assert.match(removed.stderr, /document undelete/);
    assert.equal((await run('cat', 'gone/x.md')).code, 1);
    await ask(...on('document', 'undelete', 'gone/x.md'));
    assert.equal((await run('cat', 'gone/x.md')).stdout, 'x\n');
  });

  it('each read and each write is on record as the operator’s', async () => {
    const { stdout } = await run('audit', 'list', '--json');
    for (const action of ['document.read', 'document.create', 'document.update', 'folder.browse', 'item.move']) {
      assert.match(stdout, new RegExp(`operator.*"${action}"|"${action}".*operator`, 'i'), action);
    }
    assert.doesNotMatch(stdout, /changes/, 'only a page of the console follows what it shows');
  });

  it('a terminal gets text whose signs it cannot obey, and no binary content', async function () {
    await put('notes/sign.md', 'a\u001B[2Jb\n');
    await ask(...on('put', 'notes/zero.bin', await file('zero', Uint8Array.from([0, 27, 99]))));
    const inTerminal = (location: string): Promise<Outcome> =>
      inShell(`script -qec "$0 $1 cat ${location} --data $2" /dev/null`);
    if ((await inShell('command -v script')).code !== 0)
      skipBecause(this, 'there is no `script`, which makes a terminal');
    assert.match((await inTerminal('notes/sign.md')).stdout, /a\\u\{1b\}\[2Jb/);
    const latin = await file('latin', Buffer.from('Köln', 'latin1'));
    await ask(...on('put', 'notes/latin.csv', latin, '--media-type', 'text/csv;charset=windows-1252'));
    assert.match((await inTerminal('notes/latin.csv')).stdout, /Köln/, 'in the charset of the terminal');
    const { stdout } = await inTerminal('notes/zero.bin');
    assert.match(stdout, /is not text.*> FILE/);
    assert.equal((await inShell('"$0" "$1" cat notes/zero.bin --data "$2" | od -An -tx1')).stdout.trim(), '00 1b 63');
  });

  const on = (...words: readonly string[]): readonly string[] => [...words, '--data', data];

  const run = (...words: readonly string[]): Promise<Outcome> => runProgram(on(...words));

  const put = async (location: string, text: string, ...options: readonly string[]): Promise<Stored> =>
    ask<Stored>(...on('put', location, await file('sent', text), ...options));

  async function file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  }

  /** Runs it in a shell, with its real standard input and output. */
  async function inShell(script: string): Promise<Outcome> {
    const child = spawn('bash', ['-c', script, process.execPath, program, data], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
    child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, stdout, stderr };
  }
});

interface Stored {
  readonly location: string;
  readonly version: string;
  readonly created: boolean;
}
