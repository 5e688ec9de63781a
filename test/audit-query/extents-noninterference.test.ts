import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { git } from '../support/git/git-client.js';
import { WorkTree } from '../support/git/work-tree.js';
import type { HttpClient } from '../support/http/server.js';
import { openRemoteServer, type RemotePerson, type RemoteTestServer } from '../support/http/open-remote.js';

describe('what clones, exports, searches and pushes tell an approver of a folder', function () {
  this.timeout(120_000);
  const worlds: World[] = [];
  afterEach(async () => {
    for (const { server } of worlds.splice(0)) await server.close();
  });

  it('is the same, byte for byte, however much their principals reach and do elsewhere', async () => {
    const [quiet, busy] = [await makeWorld(), await makeWorld()];
    worlds.push(quiet, busy);
    await work(quiet, () => Promise.resolve());
    let round = 0;
    await work(busy, async () => {
      const { server, admin, wide } = busy;
      round += 1;
      await admin.create(`hr/in/secret-${round}.md`, 'secret');
      if (round === 1) await server.host.grant('editor', { type: 'principal', id: wide.id }, 'hr');
      const dan = await server.cloner('editor', 'hr/in', `Dan ${round}`);
      const tree = await WorkTree.clone(server.folder, dan.url, `hidden-${round}`);
      await tree.commit({ [`hr/in/pushed-${round}.md`]: 'secret' }, 'Hidden');
      assert.equal((await tree.push()).code, 0);
      await server.as(dan.key).get('/v1/search?q=secret');
      await server.as(dan.key).get('/v1/folders/export?location=');
      await server.as(wide.key).get('/v1/folders/export?location=hr');
      await admin.post('/v1/moves', { location: `hr/in/secret-${round}.md`, to_folder: 'hr/eng' });
      await admin.get('/v1/folders/export?location=hr');
    });
    const answers = [await askEverything(quiet), await askEverything(busy)];
    assert.match(answers[0] ?? '', /repository\.push/);
    assert.equal(answers[1], answers[0]);
  });

  it('is what the operator reads in `who read` and `who changed`, each name once', async () => {
    const world = await makeWorld();
    worlds.push(world);
    await work(world, () => Promise.resolve());
    const who = async (command: string, location: string): Promise<string[]> => {
      const { result } = (await runCommand(
        { command, fields: { location } },
        {
          host: world.server.host.service,
          server: null,
          address: 'http://localhost',
          signal: new AbortController().signal,
          onFault: () => assert.fail('a fault'),
          onProgress: () => Promise.resolve(),
        },
      )) as { readonly result: { readonly items: readonly { readonly name: string }[] } };
      return result.items.map(({ name }) => name).toSorted();
    };
    assert.deepEqual(await who('who.read', 'eng/plan.md'), ['Ben', 'Root', 'Wide']);
    assert.deepEqual(await who('who.changed', 'eng/plan.md'), ['Root', 'Wide']);
    assert.deepEqual(await who('who.changed', 'eng/done/parts/part.md'), ['Root']);
  });
});

interface World {
  readonly server: RemoteTestServer;
  readonly root: RemotePerson;
  readonly admin: HttpClient;
  /** Approver of `eng`, and of nothing else. */
  readonly ada: HttpClient;
  /** Readers of `eng` in both worlds; the second also reads elsewhere in the busy one. */
  readonly ben: RemotePerson;
  readonly wide: RemotePerson;
}

async function makeWorld(): Promise<World> {
  const server = await openRemoteServer();
  const root = await server.cloner('approver', '', 'Root');
  return {
    server,
    root,
    admin: server.as(root.key),
    ada: server.as((await server.cloner('approver', 'eng', 'Ada')).key),
    ben: await server.cloner('reader', 'eng', 'Ben'),
    wide: await server.cloner('editor', 'eng', 'Wide'),
  };
}

/** What stands for random ids, by the order in which they come, and for times. */
function nameRandom(text: string): string {
  const names = new Map<string, string>();
  return text
    .replace(/\b(?:[a-z]{3}_[0-9a-z]{20,32}|[0-9a-f]{40})\b/g, (id) => {
      const name = names.get(id) ?? `#${names.size}`;
      names.set(id, name);
      return name;
    })
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then');
}

/** What happens in both worlds. @param hidden what happens in one of them */
async function work({ server, root, admin, ben, wide }: World, hidden: () => Promise<void>): Promise<void> {
  const { folder } = server;
  const wideRest = server.as(wide.key);
  await admin.create('eng/plan.md', 'one');
  await admin.create('eng/parts/part.md', 'two');
  await hidden();
  for (const [index, { url }] of [ben, wide, root].entries()) await git(folder, ['clone', '-q', url, `first-${index}`]);
  await wideRest.get('/v1/search?q=one');
  await wideRest.get('/v1/folders/export?location=');
  await admin.get('/v1/folders/export?location=');
  await hidden();
  // Where only something hidden is new, there is nothing to fetch in the other world.
  const pull = async (...clones: readonly string[]): Promise<void> => {
    for (const clone of clones) await git(join(folder, clone), ['pull', '-q', '--rebase']);
  };
  await pull('first-1', 'first-2');
  const tree = await WorkTree.clone(folder, wide.url, 'tree');
  await tree.commit({ 'eng/plan.md': 'more' }, 'More');
  assert.equal((await tree.push()).code, 0);
  await admin.post('/v1/moves', { location: 'eng/parts', to_folder: 'eng/done' });
  await pull('tree');
  await hidden();
  await pull('tree', 'first-0', 'first-1', 'first-2');
  await hidden();
  await pull('tree', 'first-1', 'first-2');
}

/** Every page of a few records each, with the length of its cursor. */
async function readPages(who: HttpClient, question: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { status, text, json } = await who.get(`${question}&limit=2${next === '' ? '' : `&cursor=${next}`}`);
    assert.equal(status, 200, text);
    const { items, next_cursor: after } = json as { items: unknown[]; next_cursor: string | null };
    pages.push([items, after?.length]);
    next = after;
  }
  return pages;
}

async function askEverything({ ada }: World): Promise<string> {
  const questions = [
    'location=eng',
    'location=eng/plan.md',
    'location=eng/done/parts',
    'location=eng&action=repository.fetch',
    'location=eng&action=repository.push',
    'location=eng&action=folder.export',
    'location=eng&action=document.search',
    'location=eng&outcome=done',
    'location=eng&outcome=refused',
  ];
  const answers: unknown[] = [];
  for (const question of questions) answers.push([question, await readPages(ada, `/v1/audit?${question}`)]);
  return nameRandom(JSON.stringify(answers, null, 1));
}
