import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TemporaryFolders } from '../../support/git/fixture.js';
import { GitServer } from '../../support/git/git-server.js';
import { makeUpstream } from '../../support/git/upstream.js';

const run = promisify(execFile);

describe('The git server of the tests', () => {
  const folders = new TemporaryFolders();
  const servers: GitServer[] = [];

  after(async () => {
    for (const server of servers) await server.close();
    await folders.remove();
  });

  it("serves a repository to git's own clone, with credentials and new commits", async () => {
    const folder = await folders.make();
    const upstream = makeUpstream(folder, 'notes.git');
    await upstream.commit({ 'a.md': 'one', 'bin/run': { mode: '100755', data: '#!/bin/sh\n' }, 'x/"y".md': 'q' });
    const server = await GitServer.open(folder, { credentials: { username: 'ada', password: 'p&w' } });
    servers.push(server);
    const clone = join(await folders.make(), 'clone');
    const url = server.url('notes.git');
    await assert.rejects(run('git', ['-c', 'core.askPass=', 'clone', '-q', url, clone], { env: {} }));
    await run('git', ['clone', '-q', url.replace('://', '://ada:p%26w@'), clone]);
    assert.equal(readFileSync(join(clone, 'x/"y".md'), 'utf8'), 'q');
    await upstream.commit({ 'a.md': null, 'b.md': 'two' });
    await run('git', ['pull', '-q'], { cwd: clone });
    assert.deepEqual([existsSync(join(clone, 'a.md')), readFileSync(join(clone, 'b.md'), 'utf8')], [false, 'two']);
    const commit = await upstream.replaceHistory({ 'c.md': 'three' });
    assert.equal(upstream.git('rev-list', 'main').trim(), commit);
  });
});
