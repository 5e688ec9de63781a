import assert from 'node:assert/strict';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  makeFolder,
  runProgram,
  startProgram,
  tidyUp,
  timeout,
  type Outcome,
  type RunningProgram,
} from '../support/processes/run-program.js';
import { s3rverKey, ServedByS3rver } from '../support/stored/serve-with-s3rver.js';
import { until } from '../support/until.js';

const address = 's3://team/prod';

describe('the command line keeps a copy in a bucket', function () {
  this.timeout(timeout);

  let store: ServedByS3rver;
  let folder: string;
  let identity: string;
  let recipient: string;
  let environment: Record<string, string>;
  let served: RunningProgram | undefined;
  /** When the first document was stored and the second was not, RFC 3339. */
  let between: string;

  const run = (parameters: readonly string[], change: Record<string, string> = {}): Promise<Outcome> =>
    runProgram(parameters, { environment: { ...environment, ...change } });
  const must = async (...parameters: string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(parameters);
    assert.equal(code, 0, stderr + stdout);
    return stdout;
  };
  const refuse = async (
    code: number,
    message: RegExp,
    parameters: readonly string[],
    change: Record<string, string> = {},
  ): Promise<void> => {
    const outcome = await run(parameters, change);
    assert.equal(outcome.code, code, outcome.stderr + outcome.stdout);
    assert.match(outcome.stderr, message);
  };
  const dataOf = (name: string): string => join(folder, name);
  const serve = (data: string): Promise<RunningProgram> =>
    startProgram(
      ['serve', '--data', data, '--port', '0', '--follow', address, '--follow-recipients', recipient, '--json'],
      /^\{/,
      {
        environment,
      },
    );
  const restore = (target: string, ...more: string[]): string[] => [
    'restore',
    '--objects',
    address,
    '--identity-file',
    identity,
    '--data',
    dataOf(target),
    ...more,
  ];
  const put = async (data: string, location: string): Promise<void> => {
    const file = join(folder, 'text.md');
    await writeFile(file, `# ${location}\n`);
    await must('put', location, file, '--data', data);
  };
  const copied = (data: string): Promise<true> => {
    const asked = performance.now();
    return until('the copy has what was stored', async () => {
      const { stdout } = await run(['follow', 'status', '--data', data, '--json']);
      const { files } = JSON.parse(stdout) as { files: { behind_s: number | null }[] };
      const elapsed = (performance.now() - asked) / 1000;
      return files.every(({ behind_s: behind }) => behind !== null && behind < elapsed) ? true : undefined;
    });
  };
  const names = async (data: string): Promise<string[]> =>
    (await must('ls', '--data', data)).split('\n').filter((line) => line !== '');

  before(async () => {
    folder = await makeFolder();
    const objects = join(folder, 'objects');
    await mkdir(objects);
    store = await ServedByS3rver.start(objects);
    environment = {
      CARTULARY_OBJECTS_ENDPOINT: `http://${store.host}`,
      AWS_ACCESS_KEY_ID: s3rverKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3rverKey.secretAccessKey,
    };
    identity = join(folder, 'copy-key.txt');
    recipient = (await must('follow', 'key', identity)).trim();
    await must('init', '--workspace', 'acme', '--admin', 'Ada', '--data', dataOf('data'));
    served = await serve(dataOf('data'));
    await put(dataOf('data'), 'first.md');
    await copied(dataOf('data'));
    await served.stop();
    between = new Date().toISOString();
    served = await serve(dataOf('data'));
    await put(dataOf('data'), 'second.md');
    await copied(dataOf('data'));
  });

  after(async () => {
    await tidyUp();
    await store.stop();
  });

  it('follow key prints the recipient, closes the file to others, and never overwrites one', async () => {
    const text = await readFile(identity, 'utf8');
    assert.match(text, new RegExp(`^# public key: ${recipient}\\nAGE-SECRET-KEY-1[A-Z0-9]+\\n$`));
    if (process.platform !== 'win32') assert.equal((await stat(identity)).mode & 0o777, 0o600);
    await refuse(1, /copy-key\.txt is there already\. A key is never overwritten/, ['follow', 'key', identity]);
    assert.equal(await readFile(identity, 'utf8'), text);
    const other = JSON.parse(await must('follow', 'key', join(folder, 'other-key.txt'), '--json')) as object;
    assert.deepEqual(Object.keys(other), ['file', 'recipient']);
  });

  it('follow status says how far the copy is, and ready, status and doctor agree', async () => {
    const data = ['--data', dataOf('data')];
    const text = await must('follow', 'status', ...data);
    assert.match(text, /^s3:\/\/team\/prod: The copy is up to date\.\n {2}acme: \d+\.\d s behind, last point \d{4}-/);
    assert.match(text, /the service's own file: /);
    const { state, address: shown, obstacle } = JSON.parse(await must('follow', 'status', ...data, '--json')) as Status;
    assert.deepEqual([state, shown, obstacle], ['following', address, null]);
    assert.equal(await must('ready', ...data), 'It is ready.\n');
    const doctor = await run(['doctor', ...data, '--port', '0']);
    assert.match(doctor.stdout, /ok +copy +s3:\/\/team\/prod is up to date\. A restore needs the secret key/);
  });

  it('follow points lists the moments of each file, the newest first', async () => {
    const lines = (await must('follow', 'points', '--objects', address)).trimEnd().split('\n');
    assert.deepEqual(lines, lines.toSorted().toReversed());
    assert.match(lines[0] ?? '', /^\S+Z {2}(?:acme {18}|the service's own file) {2}[0-9a-f]{32} {2}current$/);
    assert.ok(
      lines.some((line) => !line.endsWith('current')),
      'of the life before, too',
    );
    const list = async (...more: string[]): Promise<{ workspace: string | null; at: string }[]> =>
      (JSON.parse(await must('follow', 'points', '--json', '--objects', address, ...more)) as Points).items;
    assert.equal((await list()).length, lines.length);
    assert.equal((await list('--limit', '1')).length, 1);
    const ofOne = await list('--workspace', 'acme');
    assert.ok(ofOne.length > 1 && ofOne.every(({ workspace }) => workspace === 'acme'));
    await refuse(1, /no moment of the workspace other/, [
      'follow',
      'points',
      '--objects',
      address,
      '--workspace',
      'other',
    ]);
    await refuse(1, /no copy below this prefix/, ['follow', 'points', '--objects', 's3://team/none']);
    await refuse(2, /--limit must be/, ['follow', 'points', '--objects', address, '--limit', '0']);
    await refuse(2, /Name the copy with --objects/, ['follow', 'points']);
  });

  it('restore makes a sound data folder of the newest state, and of one before', async () => {
    const text = await must(...restore('newest'));
    const [first = '', second = ''] = text.split('\n');
    const moments = [first, second].map((line) => /as of ([^,\s]+Z)/.exec(line)?.[1] ?? '');
    assert.ok((moments[0] ?? '') >= (moments[1] ?? ''), 'it names the newest of all moments');
    assert.match(second, /^ {2}acme: as of \S+Z, \d+ files?, sound$/);
    assert.deepEqual(await names(dataOf('newest')), ['first.md', 'second.md']);
    assert.match(await must('verify', '--data', dataOf('newest')), /acme: sound/);
    const before = JSON.parse(await must(...restore('before', '--at', between, '--json'))) as Restored;
    assert.ok(before.at <= between);
    assert.deepEqual(await names(dataOf('before')), ['first.md']);
    await must(...restore('of-life', '--life', before.life));
    assert.deepEqual(await names(dataOf('of-life')), ['first.md']);
  });

  it('restore refuses with the remedy, and leaves nothing', async () => {
    await must(...restore('twice'));
    await refuse(1, /is not empty\. Name a new folder with --data\./, restore('twice'));
    const early = restore('none', '--at', '2020-01-01T00:00:00Z');
    await refuse(1, /The first moment that can be restored is \d{4}-/, early);
    const other = join(folder, 'wrong-key.txt');
    await must('follow', 'key', other);
    await refuse(1, /does not open: the identity is another one/, [...restore('none'), '--identity-file', other]);
    const absent = [...restore('none'), '--identity-file', join(folder, 'nowhere.txt')];
    await refuse(1, /The file with the secret key cannot be read/, absent);
    await writeFile(join(folder, 'recipient.txt'), recipient);
    const half = [...restore('none'), '--identity-file', join(folder, 'recipient.txt')];
    await refuse(1, /This is a public key/, half);
    await refuse(1, /There is no bucket of this name/, [...restore('none'), '--objects', 's3://absent/prod']);
    await refuse(1, /no copy below this prefix/, [...restore('none'), '--objects', 's3://team/none']);
    await refuse(1, /does not know this access key, or the secret is wrong/, restore('none'), {
      AWS_ACCESS_KEY_ID: 'OTHER',
    });
    await refuse(2, /Set AWS_ACCESS_KEY_ID/, restore('none'), { AWS_ACCESS_KEY_ID: '' });
    await refuse(1, /no copy of the life/, restore('none', '--life', '0'.repeat(32)));
    await refuse(2, /--objects must be the address of a bucket/, [...restore('none'), '--objects', 'team/prod']);
    await refuse(2, /--at must be a time/, restore('none', '--at', 'yesterday'));
    await refuse(2, /with --identity-file/, ['restore', '--objects', address, '--data', dataOf('none')]);
    await refuse(2, /are for a copy: name it with --objects/, [
      'restore',
      'backup',
      '--at',
      between,
      '--data',
      dataOf('none'),
    ]);
    await refuse(2, /--objects takes no backup/, ['restore', 'backup', '--objects', address, '--data', dataOf('none')]);
    await assert.rejects(stat(dataOf('none')), /ENOENT/);
  });

  it('settings that nobody could restore with are refused at the start', async () => {
    const start = (...more: string[]): string[] => ['serve', '--data', dataOf('data'), '--port', '0', ...more];
    await refuse(2, /Set follow_recipients too/, start('--follow', address));
    await refuse(
      2,
      /follow must be the address of a bucket/,
      start('--follow', 'team', '--follow-recipients', recipient),
    );
    const mistyped = `${recipient.slice(0, -2)}${recipient.endsWith('qq') ? 'pp' : 'qq'}`;
    await refuse(
      2,
      /follow_recipients: This recipient of age has a typing error/,
      start('--follow', address, '--follow-recipients', mistyped),
    );
    await refuse(
      2,
      /Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/,
      start('--follow', address, '--follow-recipients', recipient),
      {
        AWS_ACCESS_KEY_ID: '',
      },
    );
  });

  it('doctor tries the bucket where no server runs', async () => {
    await must(...restore('idle'));
    const doctor = async (change: Record<string, string>): Promise<string> => {
      const follow = { CARTULARY_FOLLOW: address, CARTULARY_FOLLOW_RECIPIENTS: recipient };
      const { stdout } = await run(['doctor', '--data', dataOf('idle'), '--port', '0'], { ...follow, ...change });
      return /^.*\bcopy +[^]*?(?=\n(?:ok|problem) )/m.exec(stdout)?.[0] ?? '';
    };
    assert.match(await doctor({}), /^ok +copy +s3:\/\/team\/prod can be written/);
    assert.match(
      await doctor({ CARTULARY_FOLLOW: 's3://absent/prod' }),
      /^problem .*cannot be used\n +There is no bucket/,
    );
    assert.match(await doctor({ AWS_ACCESS_KEY_ID: '' }), /^problem .*\n +Set AWS_ACCESS_KEY_ID/);
    assert.equal(await doctor({ CARTULARY_FOLLOW: '' }), '');
  });

  it('a second machine takes over by a command, the first one then refuses, and an end forgets the copy', async () => {
    const data = dataOf('next');
    await must(...restore('next'));
    await refuse(1, /There is no data in/, ['follow', 'take-over', '--objects', address, '--data', dataOf('none')]);
    const waiting = await serve(data);
    await refuse(1, /^$/, ['follow', 'status', '--data', data]);
    const { stdout: refused } = await run(['follow', 'status', '--data', data]);
    assert.match(refused, /Another machine has taken over\. Nothing is read or written here\.\nIt took over at/);
    await refuse(1, /Another process is using/, ['follow', 'take-over', '--objects', address, '--data', data]);
    await waiting.stop();
    assert.match(await must('follow', 'take-over', '--objects', address, '--data', data), /takes over from the life/);
    const next = await serve(data);
    assert.match(await must('follow', 'status', '--data', data), /The copy is up to date/);
    const old = ['--data', dataOf('data')];
    await until('the first machine has noticed', async () => (await run(['follow', 'status', ...old])).code === 1);
    const { stdout, code } = await run(['ready', ...old]);
    assert.deepEqual([stdout, code], ['It is not ready: copy superseded.\n', 1]);
    assert.match((await run(['status', ...old])).stdout, /It is not ready: copy superseded\./);
    const doctor = await run(['doctor', ...old, '--port', '0']);
    assert.match(doctor.stdout, /problem +copy +another machine has taken over .*\n +Stop this server\./);
    await refuse(1, /Another machine has taken over/, ['principal', 'add', 'Bea', '--kind', 'agent', ...old]);
    await next.stop();
    assert.match(await must('follow', 'end', '--data', data), /has no copy elsewhere any more/);
    assert.match(await must('follow', 'end', '--data', data), /^This data folder has no copy elsewhere\.\n$/);
    await refuse(1, /No server that keeps a copy elsewhere runs/, ['follow', 'status', '--data', data]);
    const { stdout: none } = await run(['follow', 'status', '--data', data, '--json']);
    assert.equal(none, 'null\n');
  });
});

interface Status {
  readonly state: string;
  readonly address: string;
  readonly obstacle: string | null;
}

interface Points {
  readonly items: { readonly workspace: string | null; readonly at: string }[];
}

interface Restored {
  readonly at: string;
  readonly life: string;
}
