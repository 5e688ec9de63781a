import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CatFile } from '../../lib/git/program/cat-file.js';
import { findGit } from '../../lib/git/program/git-program.js';
import type { GitProgram } from '../../lib/git/program/git-program.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { RepositoryUnreadable } from '../../lib/git/repositories/repository.js';
import { until } from '../support/until.js';
import { TemporaryFolders, gather, git, incompressible } from '../support/git/fixture.js';

describe('reading by a long-lived git cat-file', () => {
  const folders = new TemporaryFolders();
  let path: string;
  let pids: string;
  let program: GitProgram;
  let catFile: CatFile;
  let large: string;
  let largeContent: Buffer;
  const small: string[] = [];

  before(async () => {
    path = await folders.make();
    git(path, ['init', '-q', '--bare', '.']);
    largeContent = await gather(incompressible(5_000_000));
    large = git(path, ['hash-object', '-w', '--stdin'], largeContent).toString().trim();
    for (let i = 0; i < 40; i++)
      small.push(git(path, ['hash-object', '-w', '--stdin'], `number ${i}\n`).toString().trim());
    const found = await findGit();
    assert.ok(found);
    // A git that notes each of its processes.
    pids = join(path, 'pids');
    const file = join(path, 'noted-git');
    await writeFile(file, `#!/bin/sh\necho $$ >> '${pids}'\nexec '${found.file}' "$@"\n`);
    await chmod(file, 0o755);
    program = { ...found, file };
  });
  beforeEach(async () => {
    await writeFile(pids, '');
    catFile = new CatFile(program, path, 'contents');
  });
  afterEach(() => catFile.close());
  after(() => folders.remove());

  it('takes one process for many questions, in any mix of sizes and of missing ones', async () => {
    const absent = '0'.repeat(40);
    const asked = [...small, large, absent, small[0]!, large, large, absent, ...small];
    const answers = await Promise.all(asked.map((oid) => catFile.ask(oid)));
    for (const [i, answer] of answers.entries()) {
      if (asked[i] === absent) assert.equal(answer, undefined);
      else assert.equal(answer && hashObject('blob', answer.bytes), asked[i]);
    }
    assert.equal(started().length, 1);
  });

  it('survives a kill of the process while idle', async () => {
    await catFile.ask(small[0]!);
    process.kill(started()[0]!, 'SIGKILL');
    assert.equal((await catFile.ask(small[1]!))?.bytes.toString(), 'number 1\n');
    assert.equal(started().length, 2);
  });

  it('survives a kill of the process under a load, and answers everything', async () => {
    const asked = Array.from({ length: 400 }, (_, i) => (i % 10 === 9 ? large : small[i % 40]!));
    const answers = asked.map((oid) => catFile.ask(oid));
    // With the first answer the process is known, and far more than a pipe holds is still to come.
    await answers[0];
    process.kill(started()[0]!, 'SIGKILL');
    for (const [i, answer] of (await Promise.all(answers)).entries())
      assert.equal(answer && hashObject('blob', answer.bytes), asked[i]);
    assert.equal(started().length, 2);
  });

  it('gives up a question that killed two processes, and answers the others', async () => {
    const content = await gather(incompressible(300_000));
    const poison = git(path, ['hash-object', '-w', '--stdin'], content).toString().trim();
    const file = join(path, 'objects', poison.slice(0, 2), poison.slice(2));
    await chmod(file, 0o644);
    await truncate(file, 100_000); // git finds out in the midst of its answer
    const outcomes = await Promise.allSettled([small[0]!, poison, small[1]!].map((oid) => catFile.ask(oid)));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const [, rejected] = outcomes;
    assert.ok(rejected?.status === 'rejected' && rejected.reason instanceof RepositoryUnreadable);
    assert.match(rejected.reason.message, new RegExp(poison));
  });

  it('lets the old process finish when it is renewed', async () => {
    // The old process has noted itself before the young one starts.
    await catFile.ask(small[0]!);
    const first = Array.from({ length: 20 }, () => catFile.ask(large));
    catFile.renew();
    const second = catFile.ask(small[0]!);
    for (const answer of await Promise.all(first)) assert.ok(answer?.bytes.equals(largeContent));
    assert.equal((await second)?.size, 9);
    const [old, young] = started();
    await assertGone(old!);
    process.kill(young!, 0);
  });

  it('rejects open questions when it is closed, and leaves no process', async () => {
    const asked = Array.from({ length: 50 }, () => catFile.ask(large));
    const settled = Promise.allSettled(asked);
    await asked[0];
    await catFile.close();
    const outcomes = await settled;
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof RepositoryUnreadable);
      else assert.ok(outcome.value?.bytes.equals(largeContent));
    assert.deepEqual([outcomes[0]?.status, outcomes.at(-1)?.status], ['fulfilled', 'rejected']);
    await assert.rejects(catFile.ask(small[0]!), RepositoryUnreadable);
    for (const pid of started()) await assertGone(pid);
  });

  it('reports that git cannot be started', async () => {
    const none = new CatFile({ ...program, file: '/nonexistent/git' }, path, 'contents');
    await assert.rejects(Promise.all([none.ask(small[0]!), none.ask(small[1]!)]), RepositoryUnreadable);
    await none.close();
  });

  it('asks for facts without the contents', async () => {
    const facts = new CatFile(program, path, 'facts');
    assert.deepEqual(await facts.ask(large), { type: 'blob', size: 5_000_000, bytes: Buffer.alloc(0) });
    assert.equal(await facts.ask('0'.repeat(40)), undefined);
    await facts.close();
  });

  it('does not keep a process of ours alive once its questions are answered', async () => {
    const script = `
      import { openRepository } from '${new URL('../../lib/git/repositories/open-repository.js', import.meta.url).href}';
      const repository = await openRepository({ path: process.argv[1], git: 'auto' });
      const { bytes } = await repository.read('${large}');
      await repository.addPack([]);
      console.log(bytes.length);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], { stdio: 'pipe' });
    const said = await gather(child.stdout);
    const code = child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)));
    assert.equal(code, 0);
    assert.equal(said.toString(), '5000000\n');
  });

  it('takes no setting of the environment: no variables, no user configuration', async () => {
    const elsewhere = await folders.make();
    git(elsewhere, ['init', '-q', '--bare', '.']);
    const names = ['GIT_DIR', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_CONFIG_COUNT', 'HOME'];
    const before = names.map((name) => process.env[name]);
    try {
      for (const name of names) process.env[name] = elsewhere;
      assert.equal((await catFile.ask(small[3]!))?.bytes.toString(), 'number 3\n');
    } finally {
      for (const [i, name] of names.entries()) {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      }
    }
  });

  function started(): number[] {
    return readFileSync(pids, 'utf8').split('\n').filter(Boolean).map(Number);
  }

  async function assertGone(pid: number): Promise<void> {
    await until(`process ${pid} is gone`, () => spawnSync('kill', ['-0', String(pid)]).status !== 0);
  }
});
