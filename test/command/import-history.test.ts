import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from '../support/processes/run-git.js';
import { ask, timeout, runProgram, tidyUp } from '../support/processes/run-program.js';
import { makePlace, historyOf, documentsIn, type Imported } from './git-place.js';

describe('the command line imports the history of a git repository', function () {
  this.timeout(timeout);

  afterEach(tidyUp);

  it('commit by commit, with the author of each, and continues where it was', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    await place.write('gone.md', 'for a while');
    const first = place.commit('Begin\n\nAt length.');
    place.commit('Nothing in it');
    await place.write('a.md', 'two');
    await place.write('b/c.md', 'new');
    await rm(join(place.tree, 'gone.md'));
    const third = place.commit('Go on');
    place.git('switch', '-q', '-c', 'side', first);
    await place.write('side.md', 'beside');
    place.commit('Beside');
    place.git('switch', '-q', 'main');
    place.git('merge', '-q', '--no-ff', '-m', 'Merge side', 'side');

    const { stderr, code } = await runProgram([
      'import',
      place.tree,
      '--history',
      '--ref',
      'main~2',
      '--into',
      'wiki',
      '--data',
      place.data,
    ]);
    assert.equal(code, 0, stderr);
    const rest = await place.bring(place.tree, '--history');
    assert.deepEqual([rest.created, rest.updated, rest.deleted], [2, 1, 1]);
    assert.deepEqual([rest.commits, rest.of, rest.skipped.length], [3, 4, 0]);
    assert.equal(await documentsIn(place), 3);
    const by = 'Grace <grace@example.org>, 2020-02-03T04:05:06Z';
    assert.deepEqual(
      (await historyOf(place, 'wiki/a.md')).map(({ what, message }) => [what, message]),
      [
        ['update', `Go on\n\n${by}\ngit commit ${third}, imported into /wiki`],
        ['import', `Begin\n\n${by}\ngit commit ${first}, imported into /wiki`],
      ],
    );
    assert.match((await historyOf(place, 'wiki/side.md'))[0]?.message ?? '', /^Merge side\n/);
    for (const { by: principal, original_author: author, original_at: at } of await historyOf(place, 'wiki/a.md')) {
      assert.deepEqual([principal, author, at], ['Operator', 'Grace <grace@example.org>', '2020-02-03T04:05:06.000Z']);
    }
    const signatures = runGit(join(place.data, 'acme', 'content.git'), [
      'log',
      '--format=%an %ae %as, %cn',
      '--',
      'wiki/a.md',
    ]);
    assert.deepEqual(new Set(signatures.trim().split('\n')), new Set(['Grace grace@example.org 2020-02-03, Operator']));

    const before = await historyOf(place, 'wiki/side.md');
    const again = await place.bring(place.tree, '--history');
    assert.deepEqual([again.created, again.updated, again.deleted, again.commits], [0, 0, 0, 0]);
    assert.deepEqual(await historyOf(place, 'wiki/side.md'), before);
  });

  it('finishes an interrupted import, with the same documents and versions', async () => {
    const place = await makePlace();
    const rounds = 100;
    const who = 'Grace <grace@example.org> 1580706246 +0000';
    const file = (name: string, text: string): string => `M 100644 inline ${name}\ndata ${text.length}\n${text}\n`;
    const commitOf = (round: number): string =>
      `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata <<.\nRound ${round}\n.\n` +
      file(`page-${round % 7}.md`, `round ${round}`) +
      file(`new-${round}.md`, 'x');
    const input = Array.from({ length: rounds }, (_, round) => commitOf(round)).join('\n');
    execFileSync('git', ['-C', place.tree, 'fast-import', '--quiet'], { input });
    // The moment of a kill in a program is unknown: the test tries until one was in the middle.
    for (let attempt = 0; ; attempt += 1) {
      assert.ok(attempt < 8, 'no import was killed in its middle');
      const into = `wiki-${attempt}`;
      const parameters = ['import', place.tree, '--history', '--into', into, '--data', place.data];
      const program = join(import.meta.dirname, '../../bin/cartulary.js');
      const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'ignore', 'pipe'] });
      child.stderr.setEncoding('utf8').on('data', (told: string) => {
        if (/commit [1-9]\d* of/.test(told)) child.kill('SIGKILL');
      });
      await once(child, 'close');
      const { commits = 0, of } = await ask<Imported>(...parameters);
      assert.equal(of, rounds);
      assert.equal(await documentsIn(place), (attempt + 1) * (rounds + 7));
      const messages = (await historyOf(place, `${into}/page-3.md`)).map(({ message }) => message?.split('\n')[0]);
      const latest = [94, 87, 80, 73, 66, 59, 52, 45, 38, 31];
      assert.deepEqual(
        messages.slice(0, latest.length),
        latest.map((round) => `Round ${round}`),
      );
      if (commits > 0 && commits < rounds) break;
    }
  });

  it('follows files that become folders, links and executables', async () => {
    const place = await makePlace();
    await place.write('a', 'file');
    await place.write('b.md', 'file');
    await place.write('run.sh', 'x');
    place.commit('Files');
    await rm(join(place.tree, 'a'));
    await place.write('a/inside.md', 'in a folder');
    await rm(join(place.tree, 'b.md'));
    await symlink('a', join(place.tree, 'b.md'));
    await chmod(join(place.tree, 'run.sh'), 0o755);
    place.commit('Others');
    await rm(join(place.tree, 'b.md'));
    await place.write('b.md', 'again a file');
    place.commit('Back');
    const { created, updated, deleted, skipped } = await place.bring(place.tree, '--history');
    assert.deepEqual([created, updated, deleted], [5, 0, 2]);
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['b.md'],
    );
    assert.equal((await historyOf(place, 'wiki/run.sh')).length, 1);
    assert.equal(await documentsIn(place), 3);
  });

  it('never overwrites nor deletes documents changed here, and reports them', async () => {
    const place = await makePlace();
    await place.write('a.md', 'one');
    await place.write('b.md', 'one');
    await place.write('c.md', 'one');
    place.commit('One');
    await place.write('a.md', 'two');
    place.commit('Two');
    await place.bring(place.tree, '--history');
    const [newest, oldest] = (
      await ask<{ items: { version: { id: string } }[] }>('document', 'history', 'wiki/a.md', '--data', place.data)
    ).items;
    assert.ok(newest !== undefined && oldest !== undefined);
    await ask('document', 'restore', 'wiki/a.md', '--version', oldest.version.id, '--data', place.data);
    await place.write('a.md', 'three');
    place.commit('Three');
    const { updated, skipped } = await place.bring(place.tree, '--history');
    assert.equal(updated, 0);
    assert.deepEqual([...new Set(skipped.map(({ path }) => path))], ['a.md']);
    assert.equal((await historyOf(place, 'wiki/a.md')).length, 3);
    await rm(join(place.tree, 'a.md'));
    await rm(join(place.tree, 'b.md'));
    place.commit('Four');
    const last = await place.bring(place.tree, '--history');
    assert.equal(last.deleted, 1);
    assert.match(last.skipped.find(({ reason }) => reason.includes('deleted'))?.path ?? '', /^a\.md$/);
    assert.equal(await documentsIn(place), 2);
  });
});
