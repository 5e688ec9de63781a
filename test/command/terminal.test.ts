import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeLog } from '../../lib/app/real-world.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';
import { ask, makeFolder, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';

const program = fileURLToPath(new URL('../../bin/cartulary.js', import.meta.url));
/**
 * Sets the window's title, fills the clipboard, clears the screen, moves the cursor in one character, reverses the
 * text.
 */
const hostile = '\u001b]0;title\u0007 \u001b]52;c;cm0gLXJm\u0007 \u001b[2J \u009b1A \u202etxt.exe';
const obeyed = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('the command line at a terminal', function () {
  this.timeout(timeout);
  let folder: string;
  let data: string;

  beforeEach(async () => {
    folder = await makeFolder();
    data = join(folder, 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    await mkdir(join(folder, 'source'));
    await writeFile(join(folder, 'source', 'a.md'), `first\n${hostile}\n`);
    await symlink('nowhere', join(folder, 'source', `${hostile}\nskipped  forged`));
  });
  afterEach(tidyUp);

  it('shows names of files as one line each, and obeys nothing in them', async () => {
    const { stdout, stderr } = await runProgram(importing());
    assert.doesNotMatch(stdout + stderr, obeyed);
    const lines = stdout.split('\n').filter((line) => line.startsWith('skipped'));
    assert.equal(lines.length, 1, stdout);
    assert.ok(lines[0]?.includes(String.raw`\u{1b}]0;title\u{7}`));
    assert.ok(lines[0]?.includes(String.raw`\nskipped  forged`));
  });

  it('shows texts of others in tables and records, and in JSON exactly', async () => {
    await change();
    const history = ['document', 'history', 'wiki/a.md', '--data', data];
    const { stdout } = await runProgram(history);
    assert.doesNotMatch(stdout, obeyed);
    assert.match(stdout, / {2}a turned note …$/m);
    assert.ok(!stdout.includes('second line'), stdout);
    const narrow = await runProgram(history, { environment: { COLUMNS: '70' } });
    for (const line of narrow.stdout.split('\n')) assert.ok(line.length <= 70, line);
    assert.match(narrow.stdout, /^at +by +what +where +message$/m);
    assert.match(narrow.stderr, /^Too narrow for version: --json has them\.$/m);
    const json = await runProgram([...history, '--json']);
    assert.doesNotMatch(json.stdout, obeyed);
    const { items } = JSON.parse(json.stdout) as { items: { version: { message: string | null } }[] };
    assert.equal(items[0]?.version.message, 'a turned note\nsecond line');
    const comment = ['comment', 'add', 'wiki/a.md', '--text', 'one\nthread  forged\u202e', '--data', data];
    const record = (await runProgram(comment)).stdout;
    assert.match(record, /^text +one\n +thread {2}forged\\u\{202e\}$/m, 'no line of a text is taken for a name');
  });

  it('gives a diff byte for byte to a pipe, and shows it at a terminal', async function () {
    const { stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' });
    if (!version?.includes('util-linux')) skipBecause(this, 'There is no `script` of util-linux to make a terminal.');
    await ask(...importing());
    const whole = ['document', 'diff', 'wiki/a.md', '--data', data];
    const piped = await runProgram(whole);
    assert.ok(piped.stdout.includes(`+${hostile}\n`), JSON.stringify(piped));
    const shown = onTerminal(...whole);
    assert.doesNotMatch(shown, obeyed);
    assert.ok(shown.includes(String.raw`+\u{1b}]0;title\u{7} \u{1b}]52;c;cm0gLXJm\u{7} \u{1b}[2J \u{9b}1A`), shown);
  });

  /** What `start` shows at a terminal until Ctrl-C, after one request. */
  async function startOnTerminal(environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const words = [process.execPath, program, 'start', '--data', data, '--port', '0'];
    // A shell that stays in between would end by the signal as well, and tell that.
    const child = spawn('script', ['-qec', `exec ${words.map((word) => `'${word}'`).join(' ')}`, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, SHELL: '/bin/sh', ...environment },
    });
    const closed = once(child, 'close');
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
    try {
      const url = await until('it has started', () => /(http:\S+)[^]*Ctrl-C/.exec(said)?.[1]);
      assert.equal((await fetch(`${url}/v1/health`)).status, 200);
      child.stdin.write('\u0003');
      assert.deepEqual(await closed, [0, null], said);
    } finally {
      child.kill();
    }
    return said;
  }

  it('keeps the link of a start in sight: no line for each request, unless the log is asked for', async function () {
    const { stdout: version } = spawnSync('script', ['--version'], { encoding: 'utf8' });
    if (!version?.includes('util-linux')) skipBecause(this, 'There is no `script` of util-linux to make a terminal.');
    assert.doesNotMatch(await startOnTerminal(), /\/v1\/health 200|The service/);
    const asked = await startOnTerminal({ CARTULARY_LOG_LEVEL: 'info' });
    assert.match(asked, /GET \/v1\/health 200/);
  });

  it('shows its own messages about mistakes', async () => {
    for (const words of [[hostile], ['status', '--workspace', hostile], ['import', hostile, '--into', 'x']]) {
      const { stdout, stderr, code } = await runProgram([...words, '--data', data]);
      assert.notEqual(code, 0);
      assert.doesNotMatch(stdout + stderr, obeyed, words.join(' '));
    }
  });

  const importing = (): string[] => ['import', join(folder, 'source'), '--into', 'wiki', '--data', data];

  /** Makes a second version of the document, whose diff is hostile. */
  async function change(): Promise<{ version: string }> {
    await ask(...importing());
    const { items } = await ask<{ items: { version: { id: string } }[] }>(
      'document',
      'history',
      'wiki/a.md',
      '--data',
      data,
    );
    const version = items[0]?.version.id ?? '';
    const note = ['--message', 'a turned note\nsecond line'];
    await ask('document', 'restore', 'wiki/a.md', '--version', version, ...note, '--data', data);
    return { version };
  }

  /** The output to a terminal, without the additions of the terminal's driver. */
  function onTerminal(...words: string[]): string {
    const line = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { encoding: 'utf8', input: '' });
    // The line of progress overwrites itself.
    return stdout.replaceAll('\r\n', '\n').replace(/\r[^\r\n]*\u001b\[K/g, '');
  }
});

describe('the log', () => {
  it('is one line of JSON for each entry, in characters that a terminal shows, and of bounded length', () => {
    const lines: string[] = [];
    const log = makeLog('info', 'json', { write: (line: string) => void lines.push(line) });
    const error = Object.assign(new Error(`${hostile}${'x'.repeat(1_000_000)}`), {
      body: 'y'.repeat(1_000_000),
      held: { z: 'z'.repeat(1_000_000) },
    });
    log.error({ id: 'req_1', err: error }, 'A request failed');
    log.info({ id: 'req_2', rpc: hostile }, 'request');
    assert.equal(lines.length, 2);
    for (const line of lines) {
      assert.equal(line.indexOf('\n'), line.length - 1);
      assert.doesNotMatch(line, obeyed);
      assert.ok(line.length < 40_000, `${line.length}`);
    }
    const [fault, request] = lines.map((line) => JSON.parse(line) as { err: { message: string }; rpc: string });
    assert.ok(fault?.err.message.startsWith(hostile));
    assert.equal(request?.rpc, hostile);
  });
});
