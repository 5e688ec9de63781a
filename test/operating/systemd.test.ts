import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, runProgram, tidyUp, timeout } from '../support/processes/run-program.js';
import { skipBecause } from '../support/skip.js';

const place = 'lib/operating';
const units = readdirSync(place).filter((name) => /\.(?:service|timer)$/.test(name));

describe('The units for systemd', function () {
  this.timeout(timeout);
  let folder: string;

  before(async function prepare() {
    const { error } = spawnSync('systemd-analyze', ['--version']);
    if (error !== undefined) skipBecause(this, 'systemd-analyze is not installed');
    folder = await makeFolder();
    for (const name of units) copyFileSync(join(place, name), join(folder, name));
  });
  after(tidyUp);

  it('are units that systemd understands, without a warning', () => {
    assert.deepEqual(units.toSorted(), ['cartulary-backup.service', 'cartulary-backup.timer', 'cartulary.service']);
    const files = units.map((name) => join(folder, name));
    const { status, said } = analyze('verify', '--man=no', ...files);
    // A unit of the machine itself may be faulty; ours are not.
    assert.deepEqual(
      said.split('\n').filter((line) => line.includes('cartulary')),
      [],
    );
    assert.equal(status, 0, said);
  });

  it('let the service do no more than it needs', () => {
    // Out of 10; systemd calls up to 2 OK.
    for (const [unit, most] of [
      ['cartulary.service', 15],
      ['cartulary-backup.service', 10],
    ] as const) {
      const { status, said } = analyze('security', '--offline=true', `--threshold=${most}`, join(folder, unit));
      assert.equal(status, 0, said);
    }
  });

  it('run commands that the program has, with options that it takes', async () => {
    const commands = units.flatMap(listCommands);
    assert.deepEqual(commands.map(([word = '']) => word).toSorted(), ['backup', 'ready', 'serve']);
    for (const [word = '', ...given] of commands) {
      const { code, stdout } = await runProgram([word, '--help']);
      assert.equal(code, 0);
      for (const option of given.filter((each) => each.startsWith('--'))) {
        assert.ok(stdout.includes(`${option} `), `${word} ${option}`);
      }
    }
  });

  it('give the service more time to stop than it takes', () => {
    const [, seconds = ''] =
      /^TimeoutStopSec=(\d+)$/m.exec(readFileSync(join(place, 'cartulary.service'), 'utf8')) ?? [];
    const [, most = ''] = /stopTimeout = (\d+);/.exec(readFileSync('bin/serve.ts', 'utf8')) ?? [];
    assert.ok(Number(seconds) * 1000 > Number(most) && Number(most) > 0);
  });

  const analyze = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', words, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', SYSTEMD_LOG_LEVEL: 'warning' },
    });
    return { status, said: stdout + stderr };
  };
});

/** The words of each command that a unit runs, after the name of the program. */
function listCommands(unit: string): string[][] {
  const lines = readFileSync(join(place, unit), 'utf8').matchAll(/^Exec\w+=-?\/usr\/bin\/env cartulary (.+)$/gm);
  return [...lines].map(([, words = '']) => words.split(' '));
}
