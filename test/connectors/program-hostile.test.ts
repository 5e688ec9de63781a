import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceFaultClass } from '../../lib/domain/connector.js';
import { makeProgramKind } from '../../lib/connectors/program/program-kind.js';
import { SourceFault, UnreadableFile, type Source, type SourceFile } from '../../lib/connectors/source.js';
import { keepLog, type LogLine } from '../support/http/log.js';
import { until } from '../support/until.js';
import { Follower, meansOf, readWhole } from './follow.js';

const secret = 'a-secret-of-thirty-letters-4711';
const ready = `read hello; echo '{"type":"ready","protocol":1,"probe":true}'`;
const listing = `read list; echo '{"type":"listing","id":1,"mode":"snapshot"}'`;
const part = `{"type":"entries","id":1,"entries":[{"type":"file","path":"a","version":"1"}]}`;
const listed = `{"type":"listed","id":1,"cursor":null,"version":null}`;
const file: SourceFile = { type: 'file', path: 'a', version: '1' };

describe('an outside program that does not do as it should', function () {
  this.timeout(60_000);
  const never = new AbortController().signal;
  let folder: string;
  let lines: LogLine[];
  let opened: Source[];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'cartulary-program-')));
    [lines, opened] = [[], []];
  });
  afterEach(async () => {
    for (const source of opened) await source.close();
    assert.deepEqual(await findProcesses(folder), [], 'a process is left');
    await rm(folder, { recursive: true, force: true });
  });

  const list = async (source: Source, follower = new Follower()): Promise<Follower> => {
    await follower.follow(source, never);
    return follower;
  };
  const check = (source: Source): Promise<string> => source.check(never);
  const read = (source: Source): Promise<Buffer> => readWhole(source, file, never, 100);

  const wrong: readonly [what: string, script: string, work: Work, fault: SourceFaultClass, says: RegExp][] = [
    ['ends at once', 'exit 3', check, 'internal', /ended with code 3/],
    ['is killed', 'kill -9 $$', check, 'internal', /ended by SIGKILL/],
    ['speaks another version', `read hello; echo '{"type":"ready","protocol":2}'`, check, 'corrupt', /\/protocol/],
    [
      'is not told what it wants',
      `echo '{"type":"fault","fault":"auth","message":"No key"}'`,
      check,
      'auth',
      /^No key.$/,
    ],
    ['answers before it is ready', `echo '{"type":"checked","id":1,"found":"x"}'; sleep 60`, check, 'corrupt', /ready/],
    ['greets twice', `${ready}; echo '{"type":"ready","protocol":1}'; sleep 60`, check, 'corrupt', /twice/],
    ['prints a banner', `echo Welcome; ${ready}`, check, 'corrupt', /no JSON/],
    [
      'writes other encodings',
      `${ready}; printf '{"type":"checked","id":1,"found":"\\351"}\\n'`,
      check,
      'corrupt',
      /UTF-8/,
    ],
    ['writes a list', `${ready}; echo '[]'; sleep 60`, check, 'corrupt', /no message|does not know/],
    ['writes null', `${ready}; echo null; sleep 60`, check, 'corrupt', /no message/],
    ['writes an empty line', `${ready}; echo; sleep 60`, check, 'corrupt', /no JSON/],
    ['invents a message', `${ready}; echo '{"type":"hasOwnProperty","id":1}'; sleep 60`, check, 'corrupt', /not know/],
    [
      'invents a member',
      `${ready}; echo '{"type":"checked","id":1,"found":"x","__proto__":{}}'`,
      check,
      'corrupt',
      /wrong/,
    ],
    [
      'answers a request that never was',
      `${ready}; echo '{"type":"checked","id":7,"found":"x"}'`,
      check,
      'corrupt',
      /never was/,
    ],
    [
      'answers another question',
      `${ready}; read x; echo '{"type":"probed","id":1,"changed":false}'`,
      check,
      'corrupt',
      /probed/,
    ],
    [
      'answers twice',
      `${ready}; ${listing}; read x; read x; read x; echo '${listed}'; echo '${listed}'; sleep 60`,
      (s) => list(s).then(check.bind(null, s)),
      'corrupt',
      /over/,
    ],
    [
      'sends more than it is asked for',
      `${ready}; ${listing}; for i in 1 2 3 4 5 6 7 8 9; do echo '${part}'; done; sleep 60`,
      async (s) => {
        await s.list(null, never);
        await until('it has failed', () =>
          check(s).then(
            () => false,
            () => true,
          ),
        );
        return check(s);
      },
      'corrupt',
      /without being asked/,
    ],
    [
      'sends entries before the listing begins',
      `${ready}; read x; echo '${part}'; sleep 60`,
      list,
      'corrupt',
      /entries/,
    ],
    [
      'ends a listing before it began',
      `${ready}; read x; echo '${listed}'; sleep 60`,
      list,
      'corrupt',
      /before it began/,
    ],
    [
      'lists without end',
      `${ready}; ${listing}; while read x; do echo '{"type":"entries","id":1,"entries":[]}'; done`,
      list,
      'limit',
      /more than 100/,
    ],
    ['dies while it lists', `${ready}; ${listing}; read x; echo '${part}'; exit 0`, list, 'internal', /code 0/],
    [
      'lists a removal among all that there is',
      `${ready}; ${listing}; read x; echo '{"type":"entries","id":1,"entries":[{"type":"removed","path":"a"}]}'; sleep 60`,
      list,
      'corrupt',
      /removal/,
    ],
    [
      'lists changes since nothing',
      `${ready}; read x; echo '{"type":"listing","id":1,"mode":"delta"}'; sleep 60`,
      list,
      'corrupt',
      /no cursor/,
    ],
    [
      'says half a file is whole',
      `${ready}; read x; read y; echo '{"type":"content","id":1,"base64":"YQ=="}'; echo '{"type":"complete","id":1,"size":2}'; sleep 60`,
      read,
      'corrupt',
      /too early/,
    ],
    [
      'writes what is no base64',
      `${ready}; read x; read y; echo '{"type":"content","id":1,"base64":"YR=="}'; sleep 60`,
      read,
      'corrupt',
      /base64/,
    ],
    [
      'dies while a file is read',
      `${ready}; read x; read y; echo '{"type":"content","id":1,"base64":"YQ=="}'; exit 1`,
      read,
      'internal',
      /code 1/,
    ],
    [
      'writes a line without end',
      `${ready}; head -c 3000000 /dev/zero; sleep 60`,
      check,
      'corrupt',
      /more than 262144 bytes/,
    ],
    [
      'floods its standard error',
      `${ready}; head -c 20000000 /dev/zero >&2; sleep 60`,
      check,
      'limit',
      /standard error/,
    ],
  ];
  for (const [what, script, work, fault, says] of wrong) {
    it(`ends as a fault: it ${what}`, async () => {
      const found = await faultOf(async () => work(await open(script)));
      assert.match(found.message, says);
      assert.equal(found.fault, fault);
    });
  }

  it('brings no part of the secret into the log, in pieces, behind a long text, or at its end', async () => {
    const [head, tail] = [secret.slice(0, 16), secret.slice(16)];
    const script = [
      `printf ${head} >&2; sleep 0.3; echo ${tail} of it >&2`,
      `head -c 990 /dev/zero | tr '\\0' x >&2; echo ${secret} >&2`,
      `printf ${head} >&2; sleep 0.3; printf ${tail} >&2`,
    ];
    await faultOf(async () => check(await open(script.join('; '))));
    const said = lines.map(({ fields }) => fields['line']);
    assert.deepEqual(said, ['*** of it', `${'x'.repeat(990)}***`, '***']);
  });

  const silent: readonly [what: string, script: string, work: Work][] = [
    ['never greets', 'sleep 60', check],
    ['never answers', `${ready}; sleep 60`, check],
    ['stops in the middle of a listing', `${ready}; ${listing}; read x; echo '${part}'; sleep 60`, list],
    ['stops in the middle of a line', `${ready}; read x; printf '{"type":'; sleep 60`, check],
    [
      'stops in the middle of a file',
      `${ready}; read x; read y; echo '{"type":"content","id":1,"base64":"YQ=="}'; sleep 60`,
      read,
    ],
  ];
  for (const [what, script, work] of silent) {
    it(`ends as a fault of the network: it ${what}`, async () => {
      const found = await faultOf(async () => work(await open(script, { timeout: 150 })));
      assert.deepEqual([found.fault, /said nothing/.test(found.message)], ['network', true], found.message);
    });
  }

  it('ends as a fault when it cannot be started', async () => {
    const found = await faultOf(() => open(['/no/such/program']));
    assert.deepEqual([found.fault, /cannot be started \(ENOENT\)/.test(found.message)], ['not_found', true]);
    assert.equal((await faultOf(() => open([folder]))).fault, 'not_found');
  });

  it('is not run when the operator has not named it', async () => {
    const means = meansOf({ allowance: {} }, folder);
    for (const program of ['other', 'constructor', '__proto__', '/bin/sh'])
      assert.equal((await faultOf(() => makeProgramKind().open({ program }, null, means))).fault, 'denied_egress');
  });

  it('leaves no process when it ignores SIGTERM and has children that do, too', async () => {
    const stubborn = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & ${ready}; while :; do sleep 1; done`;
    const source = await open(stubborn, { timeout: 150 });
    assert.ok((await findProcesses(folder)).length >= 2);
    assert.equal((await faultOf(() => check(source))).fault, 'network');
    await source.close();
    assert.deepEqual(await findProcesses(folder), []);
  });

  it('leaves no child behind when it ends by itself', async () => {
    const source = await open(`(while :; do sleep 1; done) & ${ready}; exit 0`);
    await faultOf(() => check(source));
    await until('its children have ended', async () => (await findProcesses(folder)).length === 0);
  });

  it('cannot keep a run waiting by a child with a session of its own', async () => {
    const source = await open(`setsid -f sleep 3; ${ready}; exit 0`);
    await faultOf(() => check(source));
  });

  it('is cut off at the bound of a file, and goes on with the next', async () => {
    const script = `${ready}
      while read line; do case $line in
        *'"next","id":1'*) echo '{"type":"content","id":1,"base64":"${Buffer.alloc(90).toString('base64')}"}';;
        *'"cancel","id":1'*) echo '{"type":"cancelled","id":1}';;
        *'"next","id":2'*) test -n "$over" || echo '{"type":"complete","id":2,"size":0}'; over=1;;
      esac; done`;
    const source = await open(script);
    await assert.rejects(read(source), (error) => error instanceof UnreadableFile && error.reason === 'too_large');
    assert.equal((await read(source)).length, 0);
  });

  it('says that one file is unreadable, and a changed size is a changed file', async () => {
    const source = await open(
      `${ready}; read x; echo '{"type":"unreadable","id":1,"reason":"restricted","detail":"a\\u001b[2J"}'; read y; read y; read y; read x; read y; echo '{"type":"complete","id":2,"size":0}'; read y; read y; cat`,
    );
    await assert.rejects(read(source), (error) => {
      assert.ok(error instanceof UnreadableFile);
      assert.deepEqual([error.reason, error.message], ['restricted', 'a\\u{1b}[2J']);
      return true;
    });
    const work = readWhole(source, { ...file, size: 5 }, never);
    await assert.rejects(work, (error) => error instanceof UnreadableFile && error.reason === 'unreadable');
  });

  it('gets its secret in the first line, and nothing of it elsewhere', async () => {
    const script = `
      require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { type, id, secret, settings } = JSON.parse(line);
        if (type === 'hello') { global.given = { secret, settings }; console.log('{"type":"ready","protocol":1}'); }
        if (type === 'check') {
          const found = JSON.stringify([global.given.secret.length, global.given.settings, process.env, process.cwd(), process.argv.length]);
          console.log(JSON.stringify({ type: 'checked', id, found }));
        }
      });`;
    const source = await open([process.execPath, '-e', script], { settings: { of: 'mine' } });
    const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', TZ: 'UTC' };
    assert.deepEqual(JSON.parse(await check(source)), [secret.length, { of: 'mine' }, environment, folder, 1]);
    await source.close();
  });

  it('an outside program is not given settings beyond the length limit', async () => {
    const found = await faultOf(() => open(ready, { settings: { long: 'x'.repeat(70_000) } }));
    assert.equal(found.fault, 'limit');
  });

  it('shows no secret and no control characters in faults and in the log, and fills neither', async () => {
    const flood = `i=0; while [ $i -lt 400 ]; do echo "line $i ${secret}" >&2; i=$((i+1)); done`;
    const fault = `{"type":"fault","id":1,"fault":"rate","message":"Bad \\u001b[31m${secret}","retry_after":30}`;
    const source = await open(`${ready}; ${flood}; read x; echo '${fault}'; cat`);
    const found = await faultOf(() => check(source));
    assert.deepEqual([found.message, found.retryAfter], ['Bad \\u{1b}[31m***.', 30]);
    await until('its words are in the log', () => lines.length === 200);
    assert.equal(lines[0]?.fields['line'], 'line 0 ***');
    assert.ok(!JSON.stringify(lines).includes(secret));
  });

  it('ends soon after an abort, wherever it is', async () => {
    for (const work of [
      (source: Source, signal: AbortSignal) => source.check(signal),
      (source: Source, signal: AbortSignal) => source.list(null, signal),
      (source: Source, signal: AbortSignal) => readWhole(source, file, signal),
    ]) {
      const source = await open(`trap '' TERM; ${ready}; while :; do sleep 1; done`);
      const controller = new AbortController();
      const working = work(source, controller.signal);
      controller.abort(new Error('enough'));
      await assert.rejects(working, /enough/);
      await source.close();
      assert.deepEqual(await findProcesses(folder), []);
    }
  });

  /** Starts a program. Its command holds the folder's name, by which its processes are found. */
  async function open(
    command: string | readonly string[],
    { timeout = 20_000, settings = {}, maxEntries = 100 }: Options = {},
  ): Promise<Source> {
    const program = typeof command === 'string' ? ['/bin/sh', '-c', command, folder] : command;
    const means = { ...meansOf({ allowance: { programs: { it: program } } }, folder, maxEntries), log: keepLog(lines) };
    const kind = makeProgramKind({ timeout, life: 60_000 });
    const source = await kind.open({ program: 'it', settings }, secret, means);
    opened.push(source);
    return source;
  }

  async function faultOf(work: () => Promise<unknown>): Promise<SourceFault> {
    try {
      await work();
    } catch (error) {
      assert.ok(error instanceof SourceFault, String(error));
      assert.match(error.message, /^[A-Z].*[.!?]$/s);
      assert.ok(!error.message.includes(secret));
      return error;
    }
    return assert.fail('it did not fail');
  }

  type Work = (source: Source) => Promise<unknown>;
});

/** Processes whose command holds a text. */
async function findProcesses(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const id of await readdir('/proc')) {
    if (!/^\d+$/.test(id)) continue;
    const command = await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '');
    if (command.includes(text)) found.push(command.replaceAll('\0', ' ').slice(0, 200));
  }
  return found;
}

interface Options {
  readonly timeout?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly maxEntries?: number;
}
