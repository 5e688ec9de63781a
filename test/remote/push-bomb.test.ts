import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { git as runGit } from '../support/git/fixture.js';
import { WorkTree } from '../support/git/work-tree.js';
import { skipBecause } from '../support/skip.js';

const mebibyte = 1024 * 1024;
const most = 300 * mebibyte;

describe('A push of some bytes that stand for very many files', function () {
  this.timeout(120_000);
  let server: RemoteTestServer;

  before(async function () {
    if (process.platform !== 'linux') skipBecause(this, 'only Linux tells the memory of another process here');
    server = await openRemoteServer();
    await server.as((await server.cloner('approver')).key).create('pub/a.md', 'first');
  });
  after(() => server?.close());

  for (const role of ['reader', 'editor'] as const) {
    it(`is refused for a ${role}, and git takes little memory for it`, async () => {
      const { url } = await server.cloner(role, 'pub', `Bomber ${role}`);
      const tree = await WorkTree.clone(server.folder, url, role);
      await plantBomb(tree, 9);
      const watch = new GitWatch();
      const began = performance.now();
      const { stderr } = await tree.push();
      watch.end();
      const sentence =
        role === 'reader' ? /You may read here, and change nothing/ : /A push changes at most 1000 files/i;
      assert.match(stderr, sentence);
      assert.ok(watch.peak < most, `git took ${(watch.peak / mebibyte).toFixed(0)} MiB`);
      if (role === 'editor') assert.ok(watch.peak > 0, 'no git was seen');
      assert.ok(performance.now() - began < 30_000);
      assert.deepEqual(
        server.log.filter(({ level }) => level === 'error'),
        [],
      );
    });
  }

  it('that a merged branch brings is refused, too', async () => {
    const { url } = await server.cloner('editor', 'pub', 'Merger');
    const tree = await WorkTree.clone(server.folder, url, 'merger');
    await tree.git('checkout', '-q', '-b', 'side');
    await plantBomb(tree, 9);
    const bomb = await tree.git('rev-parse', 'refs/heads/main');
    const merge = await tree.git('commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-p', bomb, '-m', 'Merge');
    await tree.git('update-ref', 'refs/heads/main', merge);
    const watch = new GitWatch();
    await tree.push();
    watch.end();
    assert.ok(watch.peak < most, `git took ${(watch.peak / mebibyte).toFixed(0)} MiB`);
  });

  /** A commit with a folder of ten names for a folder of ten names, and so on. */
  async function plantBomb(tree: WorkTree, levels: number): Promise<void> {
    const inTree = (parameters: readonly string[], input: string): string =>
      runGit(tree.folder, parameters, input).toString().trim();
    const blob = inTree(['hash-object', '-w', '--stdin'], 'x');
    const entries = (mode: string, oid: string, letter: string): string =>
      Array.from({ length: 10 }, (_, n) => `${mode} ${oid}\t${letter}${n}\n`).join('');
    let bomb = inTree(['mktree'], entries('100644 blob', blob, 'f'));
    for (let level = 0; level < levels; level += 1) bomb = inTree(['mktree'], entries('040000 tree', bomb, 'd'));
    const root = await tree.git('ls-tree', 'HEAD:pub');
    const pub = inTree(['mktree'], `${root}\n040000 tree ${bomb}\tbomb\n`);
    const whole = inTree(['mktree'], `040000 tree ${pub}\tpub\n`);
    const commit = await tree.git('commit-tree', whole, '-p', 'HEAD', '-m', 'Bomb');
    await tree.git('update-ref', 'refs/heads/main', commit);
  }
});

/** The largest memory of a git that this process has started, since the watch began. */
class GitWatch {
  peak = 0;
  readonly #timer = setInterval(() => this.#look(), 5);

  end(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (!status.includes(`\nPPid:\t${process.pid}\n`) || !status.startsWith('Name:\tgit')) continue;
        const kibibytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
        this.peak = Math.max(this.peak, kibibytes * 1024);
      } catch {
        // It has ended.
      }
    }
  }
}
