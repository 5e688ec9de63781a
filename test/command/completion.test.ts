import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeProgram } from '../../bin/program.js';
import { makeFolder, runProgram, tidyUp } from '../support/processes/run-program.js';
import { skipBecause } from '../support/skip.js';

describe('shell completion', () => {
  let folder: string;

  before(async () => {
    folder = await makeFolder();
  });
  after(tidyUp);

  it('bash completes commands, subcommands and options', async () => {
    const file = await write('bash');
    assert.deepEqual(complete(file, 'princ'), ['principal']);
    assert.deepEqual(complete(file, 'principal', '').toSorted(), ['add', 'disable', 'enable', 'list', 'show']);
    assert.deepEqual(complete(file, 'key', 'mint', '--re'), ['--rest']);
    assert.deepEqual(complete(file, 'put', 'a.md', '--if'), ['--if-match']);
    assert.deepEqual(complete(file, 'put', 'princ'), []);
    assert.deepEqual(complete(file, '--v'), ['--version']);
    const bound = spawnSync('bash', ['-c', 'source "$1"; complete -p cartulary', 'bash', file], { encoding: 'utf8' });
    assert.equal(bound.stdout, 'complete -o default -F _cartulary cartulary\n');
  });

  it('bash knows every command of the help', async () => {
    const file = await write('bash');
    for (const command of makeProgram().commands) {
      assert.ok(complete(file, command.name()).includes(command.name()), command.name());
      const inner = command.commands.map((each) => each.name());
      if (inner.length > 0) assert.deepEqual(complete(file, command.name(), ''), inner);
    }
  });

  for (const shell of ['zsh', 'fish'] as const) {
    it(`${shell} can read its script`, async function () {
      const file = await write(shell);
      if (spawnSync(shell, ['-c', 'true']).error !== undefined) skipBecause(this, `there is no ${shell} here`);
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
    });
  }

  it('another shell is refused with those that are known', async () => {
    const { code, stderr } = await runProgram(['completion', 'csh']);
    assert.deepEqual([code, stderr], [2, 'cartulary: The shell must be one of bash, zsh, fish.\n']);
  });

  async function write(shell: string): Promise<string> {
    const { code, stdout, stderr } = await runProgram(['completion', shell]);
    assert.equal(code, 0, stderr);
    const file = join(folder, shell);
    await writeFile(file, stdout);
    return file;
  }

  /** What bash offers behind these words; the last one is being typed. */
  function complete(file: string, ...words: readonly string[]): string[] {
    const script =
      'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cartulary; printf "%s\\n" "${COMPREPLY[@]}"';
    const { stdout, status, stderr } = spawnSync('bash', ['-c', script, 'bash', file, 'cartulary', ...words], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return stdout.split('\n').filter((line) => line !== '');
  }
});
