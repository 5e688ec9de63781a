import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { boundCommand, boundsFor } from '../../lib/git/program/git-bounds.js';
import { boundGit, requireGit, runGit, type ForeignGit } from '../../lib/git/program/git-program.js';
import { startGit } from '../../lib/git/program/start-git.js';
import { makeDeltaBomb } from '../support/git/delta-bomb.js';
import { git, TemporaryFolders } from '../support/git/fixture.js';
import { canWatchChildren, findProcesses } from '../support/processes/watch-children.js';
import { skipBecause } from '../support/skip.js';
import { until } from '../support/until.js';

const mebibyte = 1024 * 1024;
const usual = boundsFor({ objects: 0, bytes: 0 }, 60);
const { signal: never } = new AbortController();

describe('a git that has bounds', function () {
  this.timeout(60_000);
  const folders = new TemporaryFolders();
  let path: string;
  let program: ForeignGit;

  before(async function () {
    if (!canWatchChildren) skipBecause(this, 'only Linux bounds the memory of a process.');
    path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    program = boundGit(await requireGit('test'), usual);
  });
  after(() => folders.remove());

  it('works as another does while it stays within them', async () => {
    await unpack([20, 21], {});
    const { stdout } = await runGit(program, path, ['hash-object', '--stdin'], { input: '' });
    assert.equal(stdout, 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n');
  });

  it('says which one it has met: for the sum of its memory, for a single piece of it, and for its time', async () => {
    const many = Array.from({ length: 500 }, (_, index) => 100 + index / 4 - ((index / 4) % 1) + (index % 4) * 50);
    const sizes = [...new Set(many)].filter((size) => size > 1);
    await assert.rejects(unpack([150, 151], { memory: 200 * mebibyte }), /It cannot be: it holds .* than 200 MiB/);
    await assert.rejects(unpack([80], { allocation: 50 * mebibyte }), /It cannot be: it holds something/);
    await assert.rejects(unpack(sizes, { time: 1 }), /It cannot be: git has worked on it for 1 seconds/);
  });

  it('has its limits from the system, and a hard one for its time', () => {
    const [file, parameters] = boundCommand('/bin/cat', ['/proc/self/limits'], { ...usual, time: 20 });
    const limits = execFileSync(file, [...parameters], { encoding: 'utf8' });
    assert.match(limits, /^Max cpu time +20 +25 /m);
    assert.match(limits, /^Max core file size +0 /m);
  });

  it('is given more for an extent that is larger', () => {
    const larger = boundsFor({ objects: 1_000_000, bytes: 1024 * mebibyte }, 60);
    assert.ok(larger.memory > usual.memory && larger.allocation > usual.allocation && larger.time > usual.time);
  });

  it('a bounded git runs at the lowest priority', () => {
    const started = startGit(program, path, ['cat-file', '--batch'], never);
    const [{ pid } = { pid: 0 }] = findProcesses(path);
    assert.equal(execFileSync('ps', ['-o', 'ni=', '-p', String(pid)], { encoding: 'utf8' }).trim(), '19');
    started.kill();
  });

  /** Has git start a process that waits for an hour. @returns how to find it */
  const waiting = (seconds: string): string[] => ['-c', `alias.wait=!sleep ${seconds}`, 'wait'];

  it('ends with all that it started, when it is ended, and when it ends by itself', async () => {
    const ended = startGit(program, path, waiting('3601.5'));
    await until('its child waits', async () => findProcesses('sleep 3601.5').length > 0);
    ended.kill();
    await ended.ended;
    await until('nothing waits', async () => findProcesses('sleep 3601.5').length === 0, 1000);
    const left = startGit(program, path, ['-c', 'alias.leave=!sleep 3602.5 >/dev/null 2>&1 &', 'leave']);
    left.stdout.resume();
    await left.ended;
    await until('nothing is left', async () => findProcesses('sleep 3602.5').length === 0, 1000);
  });

  it('does not outlive the process that started it', async () => {
    const script = `
      import { boundGit, requireGit } from '${new URL('../../lib/git/program/git-program.js', import.meta.url).href}';
      import { startGit } from '${new URL('../../lib/git/program/start-git.js', import.meta.url).href}';
      const program = boundGit(await requireGit('test'), ${JSON.stringify(usual)});
      startGit(program, ${JSON.stringify(path)}, ${JSON.stringify(waiting('3603.5'))});
      setTimeout(() => process.exit(0), 300);`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', script]);
    await until('nothing waits', async () => findProcesses('sleep 3603.5').length === 0, 1000);
  });

  /** Takes in objects of many mebibytes. */
  async function unpack(sizes: readonly number[], bounds: Partial<typeof usual>): Promise<void> {
    const started = startGit(boundGit(program, { ...usual, ...bounds }), path, ['index-pack', '--stdin']);
    started.stdin.end(makeDeltaBomb(sizes).pack);
    started.stdout.resume();
    await started.requireSuccess('It cannot be');
  }
});
