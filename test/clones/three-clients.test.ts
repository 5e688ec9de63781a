import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openRemoteServer, type RemoteTestServer } from '../support/http/open-remote.js';
import { skipBecause } from '../support/skip.js';
import type { Command } from '../support/model/commands.js';
import { HeldByGit, type Held } from '../support/model/held-by-git.js';
import { ServiceAndModel } from '../support/model/service-and-model.js';
import { blobOf } from '../support/git/read-store.js';
import { hasLibgit2, withGit, withIsomorphicGit, withLibgit2, type CloneAndList, type Listed } from './clients.js';

/** Ada approves the root and Ben edits it, from the beginning. */
const history: readonly Command[] = [
  { does: 'create', by: 'ada', path: 'a/one.md' },
  { does: 'create', by: 'ada', path: 'a/deep/two.md' },
  { does: 'create', by: 'ada', path: 'b/three.md' },
  { does: 'create', by: 'ada', path: 'c/four.md' },
  { does: 'update', by: 'ada', path: 'a/one.md' },
  { does: 'update', by: 'ada', path: 'c/four.md' },
  { does: 'update', by: 'ben', path: 'c/four.md' },
  { does: 'move', by: 'ada', path: 'b/three.md', folder: 'a', acknowledged: true },
  { does: 'create', by: 'ada', path: 'a/gone.md' },
  { does: 'delete', by: 'ada', path: 'a/gone.md' },
  { does: 'create-folder', by: 'ada', path: 'a/empty' },
  { does: 'grant', by: 'ada', grant: { scope: 'folder', path: 'a', subject: 'cem', role: 'editor' } },
  { does: 'grant', by: 'ada', grant: { scope: 'document', path: 'c/four.md', subject: 'dia', role: 'reader' } },
];

const readers: Readonly<Record<string, string>> = {
  'an admin': 'ada',
  'an editor of everything': 'ben',
  'an editor of one folder': 'cem',
  'a reader of one document': 'dia',
};

describe('Three independent clients', () => {
  let server: RemoteTestServer;
  let pair: ServiceAndModel;
  let held: HeldByGit;
  let url: string;
  const listed = new Map<string, Listed>();

  before(async function () {
    this.timeout(60_000);
    server = await openRemoteServer();
    pair = new ServiceAndModel(server.host);
    await pair.begin();
    for (const [step, done] of history.entries()) {
      const [actual, expected] = await pair.does(done, step);
      assert.deepEqual([actual, expected], ['done', 'done'], JSON.stringify(done));
    }
    held = new HeldByGit(pair.model);
    url = server.url();
  });
  after(() => server.close());

  function compare(client: string, clone: CloneAndList): void {
    for (const [who, name] of Object.entries(readers)) {
      it(`${client} clones as ${who} what the model says, to the object`, async function () {
        this.timeout(30_000);
        if (clone === withLibgit2 && !hasLibgit2) skipBecause(this, 'there is no Python with pygit2');
        const key = await pair.service.key(pair.person(name).id, ['git']);
        const found = await clone(url, key, join(server.folder, `${client}-${name}`));
        assert.ok(found !== null);
        compareListed(found, held.fetch(name));
        const first = listed.get(name);
        if (first === undefined) listed.set(name, found);
        else assert.deepEqual(found, first, 'all clients hold the same objects');
      });
    }

    it(`${client} finds no repository without a grant`, async function () {
      this.timeout(30_000);
      if (clone === withLibgit2 && !hasLibgit2) skipBecause(this, 'there is no Python with pygit2');
      const key = await pair.service.key(await pair.service.principal('Nobody'), ['git']);
      assert.equal(await clone(url, key, join(server.folder, `${client}-nobody`)), null);
    });
  }

  compare('git', withGit);
  compare('isomorphic-git', withIsomorphicGit);
  compare('libgit2', withLibgit2);
});

function compareListed({ files, blobs }: Listed, held: Held): void {
  assert.deepEqual(files, Object.fromEntries(held.files));
  assert.deepEqual(new Set(blobs), new Set([...held.most].map(blobOf)));
}
