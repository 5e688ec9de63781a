import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, askRefused, makeFolder, serve, tidyUp, runProgram, timeout } from '../support/processes/run-program.js';

const commands = [
  'init',
  'serve',
  'start',
  'mcp',
  'status',
  'ready',
  'completion',
  'import',
  'verify',
  'doctor',
  'backup',
  'backup list',
  'restore',
  'follow key',
  'follow status',
  'follow points',
  'follow take-over',
  'follow end',
  'backup check',
  'audit verify',
  'audit export',
  'audit list',
  'who read',
  'who changed',
  'audit key',
  'changes list',
  'principal add',
  'principal list',
  'principal show',
  'principal disable',
  'principal enable',
  'group add',
  'group list',
  'group show',
  'group join',
  'group leave',
  'grant add',
  'grant remove',
  'grant list',
  'key mint',
  'key list',
  'key rotate',
  'key revoke',
  'policy show',
  'policy set',
  'ls',
  'cat',
  'put',
  'search',
  'mv',
  'rm',
  'document retry-text',
  'document undelete',
  'document history',
  'document diff',
  'document restore',
  'folder delete',
  'folder undelete',
  'folder revert',
  'claim list',
  'claim take',
  'claim renew',
  'claim release',
  'claim break',
  'comment list',
  'comment add',
  'comment edit',
  'comment resolve',
  'comment delete',
  'label list',
  'label add',
  'label remove',
  'label set',
  'webhook add',
  'webhook list',
  'webhook show',
  'webhook change',
  'webhook test',
  'webhook rotate',
  'webhook enable',
  'webhook disable',
  'webhook remove',
  'webhook deliveries',
  'webhook replay',
  'connector kinds',
  'connector list',
  'connector show',
  'connector connect',
  'connector test',
  'connector change',
  'connector sync',
  'connector pause',
  'connector resume',
  'connector approve',
  'connector disconnect',
  'connector runs',
  'connector skipped',
  'connector secret',
  'connector webhook',
];

/** The compiled program, without the bundle that the build makes of it. */
const compiled = fileURLToPath(new URL('run-compiled.js', import.meta.url));

describe('the command line is used', function () {
  this.timeout(timeout);

  after(tidyUp);

  it('every command explains itself, with an example', async () => {
    const explain = fileURLToPath(new URL('explain-commands.js', import.meta.url));
    const [overview, all, one] = await Promise.all([
      runProgram(['--help']),
      runProgram(commands, { program: explain }),
      runProgram(['grant', 'add', '--help']),
    ]);
    assert.deepEqual([overview.code, all.code, one.code], [0, 0, 0], all.stderr);
    const helps = all.stdout.split('\0').slice(1);
    assert.equal(helps.length, commands.length);
    const helped = commands.map((words, index) => {
      const help = helps[index] ?? '';
      assert.ok(help.startsWith(`${words}\n`), help);
      return { words, stdout: help.slice(words.length + 1) };
    });
    assert.equal(helped.find(({ words }) => words === 'grant add')?.stdout, one.stdout);
    for (const { words, stdout } of helped) {
      assert.ok(overview.stdout.includes(`  ${words.split(' ')[0]}`), words);
      assert.match(stdout, new RegExp(`^Usage: cartulary ${words} `), words);
      assert.match(stdout, new RegExp(`^ {2}\\$ cartulary ${words}`, 'm'), words);
      assert.match(stdout, /--json/, words);
    }
  });

  it('loads only what a command needs', async () => {
    const data = join(await makeFolder(), 'data');
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
    const alone = await listLoaded('principal', 'list', '--data', data);
    const running = await serve(data);
    const [help, version, asked, diagnosed] = await Promise.all([
      listLoaded('--help'),
      listLoaded('--version'),
      listLoaded('principal', 'list', '--data', data),
      listLoaded('doctor', '--data', data, '--port', '0'),
    ]);
    await running.stop();
    for (const { files, packages } of [help, version, asked, diagnosed]) {
      assert.deepEqual(packages, ['commander']);
      assert.ok(files.length < 75, `${files.length} files`);
      assert.ok(files.some((file) => file.endsWith('lib/config.js')));
    }
    assert.ok(alone.files.length < 475, `${alone.files.length} files`);
    const large = [
      'ajv',
      'isomorphic-git',
      'memfs',
      'age-encryption',
      'express',
      'oidc-provider',
      're2js',
      'htmlparser2',
      'yauzl',
    ];
    assert.deepEqual(
      large.filter((name) => alone.packages.includes(name)),
      [],
    );
  });

  it('an unknown or incomplete command ends with 2 and a message, with --json as JSON', async () => {
    const calls = await Promise.all(
      [
        [],
        ['principal'],
        ['serv'],
        ['key', 'mint'],
        ['principal', 'add', 'Ada', '--knid', 'person'],
        ['link', 'x', 'y'],
      ].map((call) => runProgram([...call, '--json'])),
    );
    for (const { code, stderr } of calls) {
      assert.equal(code, 2, stderr);
      assert.notEqual(stderr, '');
    }
    assert.match(calls[2]?.stdout ?? '', /^\{"error":\{"code":"USAGE","message":"unknown command 'serv'/);
  });

  it('names the options that a command needs, and quotes a wrong one', async () => {
    const [help, unnamed, wrong] = await Promise.all([
      runProgram(['folder', 'revert', '--help']),
      runProgram(['init', '--admin', 'Ada', '--data', join(await makeFolder(), 'new')]),
      runProgram(['serv']),
    ]);
    assert.equal(help.stdout.match(/\(required\)/g)?.length, 2);
    assert.deepEqual([unnamed.code, unnamed.stderr], [2, 'cartulary: --workspace is missing.\n']);
    assert.match(wrong.stderr, /^cartulary: unknown command 'serv'/);
  });

  it('a folder without data is refused, and nothing is made there', async () => {
    const data = join(await makeFolder(), 'nothing');
    const [listed, verified] = await Promise.all([
      askRefused('principal', 'list', '--data', data),
      askRefused('verify', '--data', data),
    ]);
    assert.match(listed.message, /cartulary init/);
    assert.match(verified.message, /cartulary init/);
    assert.equal(listed.details?.['field'], 'data');
  });

  it('says in words which file is in the way', async () => {
    const file = join(await makeFolder(), 'file');
    await writeFile(file, '');
    for (const data of [file, join(file, 'below')]) {
      const { code, stderr } = await runProgram(['init', '--workspace', 'acme', '--admin', 'Ada', '--data', data]);
      assert.match(
        stderr,
        /^cartulary: \S*\/file\S* cannot be reached: a file is where a folder belongs \(ENOTDIR\)\.$/m,
      );
      assert.equal(code, 1);
    }
  });

  it('a wrong setting is named with its source, and ends with 2', async () => {
    const cwd = await makeFolder();
    const file = join(cwd, 'cartulary.json');
    await writeFile(file, JSON.stringify({ trust_proxy: ['10.0.0.0/8', 'everyone'], prot: 1 }));
    const [flag, variable, inFile, missing] = await Promise.all([
      runProgram(['serve', '--port', '70000'], { cwd: await makeFolder() }),
      runProgram(['status', '--json'], { cwd: await makeFolder(), environment: { CARTULARY_GIT: 'maybe' } }),
      runProgram(['status'], { cwd }),
      runProgram(['status', '--config', 'nowhere.json'], { cwd }),
    ]);
    assert.deepEqual([flag.code, variable.code, inFile.code, missing.code], [2, 2, 2, 2]);
    assert.match(flag.stderr, /port must be a whole number from 0 to 65535, and is 70000 \(option --port\)/);
    assert.match(variable.stdout, /git must be one of auto, never.*environment variable CARTULARY_GIT/);
    assert.ok(
      inFile.stderr.includes(
        `trust_proxy must be a whole number from 0 to 16, or a list, and each entry an IP address`,
      ),
      inFile.stderr,
    );
    assert.ok(inFile.stderr.includes(`prot is no setting (${file})`), inFile.stderr);
    assert.match(missing.stderr, /nowhere\.json cannot be read/);
  });

  it('doctor finds this machine well, and names remedies where it is not', async () => {
    const data = await makeFolder();
    await writeFile(join(data, 'file'), '');
    const [well, ill] = await Promise.all([
      runProgram(['doctor', '--data', data, '--port', '0', '--json']),
      runProgram(['doctor', '--data', join(data, 'file', 'below'), '--port', '0', '--json'], {
        environment: { CARTULARY_PROT: '1' },
      }),
    ]);
    interface Diagnosis {
      readonly ok: boolean;
      readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly remedy?: string }[];
    }
    const { ok, checks } = JSON.parse(well.stdout) as Diagnosis;
    assert.deepEqual([ok, well.code], [true, 0], well.stdout);
    const names = [
      'node',
      'git',
      'data',
      'privacy',
      'disk',
      'clock',
      'address',
      'texts',
      'format',
      'port',
      'socket',
      'settings',
    ];
    assert.deepEqual(
      checks.map(({ name }) => name),
      names,
    );
    const problems = (JSON.parse(ill.stdout) as Diagnosis).checks.filter((check) => !check.ok);
    assert.equal(ill.code, 1);
    assert.deepEqual(
      problems.map(({ name }) => name),
      ['data', 'settings'],
    );
    assert.ok(problems.every((problem) => (problem.remedy ?? '') !== ''));
  });
});

/** The modules that a command loads: the service's own files, and the packages. */
async function listLoaded(
  ...parameters: string[]
): Promise<{ readonly files: readonly string[]; readonly packages: readonly string[] }> {
  const folder = await makeFolder();
  const environment = { NODE_V8_COVERAGE: folder };
  const { code, stderr } = await runProgram(parameters, { environment, program: compiled });
  assert.equal(code, 0, stderr);
  const reports = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const urls = reports.flatMap((report) =>
    (JSON.parse(report) as { result: { url: string }[] }).result.map(({ url }) => url),
  );
  const loaded = [...new Set(urls)].filter((url) => url.startsWith('file:'));
  const packages = loaded.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return { files: loaded.filter((url) => !url.includes('/node_modules/')), packages: [...new Set(packages)] };
}
