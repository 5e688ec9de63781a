import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer } from '../support/http/server.js';
import { until } from '../support/until.js';
import { countOf, seedOf } from '../support/counts.js';
import { consumer, runMirrorCampaign } from './mirror-campaign.js';

const rounds = countOf('MIRROR_ROUNDS', { usual: 1, campaign: 100 });
const seed = seedOf(20261123);

describe('the consumer of the manual', () => {
  it('keeps the text of a document that leaves and comes back, though it crashes in between', async () => {
    const server = await openTestServer();
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-follow-'));
    try {
      const ada = await server.person('approver', '', 'Ada');
      const reader = await server.host.person('reader', 'team', 'Rea');
      const rea = { type: 'principal', id: reader.id } as const;
      const { id } = (await ada.create('team/a.md')).json;
      const text = join(folder, 'texts', id);
      const index = (): Promise<string> => readFile(join(folder, 'index.json'), 'utf8').catch(() => '');
      const follow = (): ChildProcess =>
        spawn(process.execPath, [consumer, folder], {
          env: { ...process.env, URL: server.rest.url, KEY: reader.key },
          stdio: 'ignore',
        });
      const first = follow();
      await until('it has the document', async () => (await index()).includes(id));
      // What it cannot write ends it, behind everything that it does for the page.
      const crashed = once(first, 'exit');
      await mkdir(join(folder, 'index.new'));
      await server.host.revoke('reader', rea, 'team');
      assert.deepEqual(await crashed, [1, null]);
      await rmdir(join(folder, 'index.new'));
      await server.host.grant('reader', rea, 'team');
      const last = follow();
      await ada.create('team/b.md');
      await until('it is up to now', async () => (await index()).includes('team/b.md'));
      await end(last);
      assert.ok((await index()).includes(id));
      assert.ok((await readFile(text)).length > 0);
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('keeps a mirror equal to a listing, while documents and grants change and both sides are killed', async () => {
    const changes = rounds === 1 ? 40 : 100;
    const tally = await runMirrorCampaign({ rounds, changes, seed });
    assert.deepEqual([tally.serverKills, tally.consumerKills], [rounds, rounds]);
    assert.ok(tally.compared > 0);
  }).timeout(60_000 + rounds * 60_000);
});

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
