import assert from 'node:assert/strict';
import { parseLocation } from '../../lib/domain/location.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { perform } from '../../lib/operations/perform.js';
import { openTestServer, type HttpClient, type TestServer } from '../support/http/server.js';
import { operator } from '../support/store/service.js';

describe('what the audit log tells an approver of a folder', () => {
  const worlds: TestServer[] = [];
  afterEach(async () => {
    for (const server of worlds.splice(0)) await server.close();
  });

  it('is the same, byte for byte, whatever happens elsewhere', async () => {
    const [quiet, busy] = [await makeWorld(), await makeWorld()];
    worlds.push(quiet.server, busy.server);
    await work(quiet, () => Promise.resolve());
    let round = 0;
    await work(busy, async () => {
      const { admin, server } = busy;
      round += 1;
      await admin.create(`hr/secret-${round}.md`, 'text');
      await admin.get(`/v1/documents/hr/secret-${round}.md`);
      await admin.get('/v1/search?q=secret');
      await admin.get('/v1/audit');
      await server.host.person('approver', 'hr', `Somebody ${round}`);
      await admin.post('/v1/moves', { location: `hr/secret-${round}.md`, to_folder: 'hr/eng' });
      await admin.delete(`/v1/documents/hr/eng/secret-${round}.md`);
    });
    assert.equal(await askEverything(busy), await askEverything(quiet));
  });

  it('comes in pages that are full or the last, however much is hidden', async () => {
    const [quiet, busy] = [await makeWorld(), await makeWorld()];
    worlds.push(quiet.server, busy.server);
    const answers: string[] = [];
    for (const world of [quiet, busy]) {
      const { ada, ben } = world;
      const { id } = (await ada.create('eng/plan.md', 'text')).json;
      await ada.create('eng/done/old.md', 'text');
      for (let time = 0; time < 4; time += 1) {
        await ben.get('/v1/documents/eng/absent.md');
        await ben.get('/v1/documents/eng/plan.md');
        await ben.get('/v1/documents/eng/done/old.md');
        if (world === busy && time === 1) await writeLetters(world, id, 31_000);
      }
      const pages = [
        ...(await readPages(ada, '/v1/audit?location=eng&limit=3')),
        ...(await readPages(ben, '/v1/audit?outcome=refused&limit=3')),
        ...(await readPages(ben, `/v1/audit?principal=${world.benId}&location=eng/done&action=document.read&limit=3`)),
      ];
      for (const { items, next_cursor } of pages) assert.ok(items.length === 3 || next_cursor === null);
      answers.push(nameRandom(JSON.stringify(pages.map(({ items }) => items))));
    }
    assert.equal(answers[1], answers[0]);
  }).timeout(60_000);

  it('leaves out former places out of reach, and other documents’ versions', async () => {
    const world = await makeWorld();
    worlds.push(world.server);
    const { admin, ada } = world;
    await admin.create('hr/salaries.md', 'text');
    await admin.get('/v1/documents/hr/salaries.md');
    const moved = await admin.post('/v1/moves', {
      location: 'hr/salaries.md',
      to_folder: 'eng',
      acknowledge_access_change: true,
    });
    assert.equal(moved.status, 200, moved.text);
    const { text, json } = await ada.get('/v1/audit?location=eng/salaries.md');
    assert.equal(json.items.length, 3);
    assert.ok(!text.includes('hr'), text);
    assert.deepEqual(
      json.items.map(({ action, target }: { action: string; target: string | null }) => [action, target]),
      [
        ['item.move', null],
        ['document.read', null],
        ['document.create', null],
      ],
    );
    assert.equal(json.items[0].detail.to, 'eng/salaries.md');
  });

  it('shows null where an erase has removed a text, and nothing of the erased document', async () => {
    const world = await makeWorld();
    worlds.push(world.server);
    const { admin, ada } = world;
    const { id: documentId } = (await ada.create('eng/gone.md', 'text')).json;
    const before = await ada.get('/v1/audit?location=eng');
    assert.ok(before.text.includes('gone.md'));
    const { workspace } = world.server.host;
    const input = { location: parseLocation('eng/gone.md'), confirmation: 'gone.md', documentId };
    const { result } = await perform(workspace, operator, eraseDocument, input);
    await workspace.eraser.finished(result.id);
    assert.ok(!(await ada.get('/v1/audit?location=eng')).text.includes('gone.md'));
    assert.ok(!(await ada.get('/v1/audit')).text.includes('gone.md'));
    const created = (await admin.get('/v1/audit?action=document.create')).json.items[0];
    assert.deepEqual([created.target, created.document_id, created.detail], [null, null, null]);
  });
});

/** What stands for random ids and versions, by the order in which they come. */
function nameRandom(text: string): string {
  const names = new Map<string, string>();
  return text.replace(/\b(?:[a-z]{3}_[0-9a-z]{20,32}|[0-9a-f]{40})\b/g, (id) => {
    const name = names.get(id) ?? `#${names.size}`;
    names.set(id, name);
    return name;
  });
}

interface World {
  readonly server: TestServer;
  readonly admin: HttpClient;
  /** Approver of `eng`, and reader of it. */
  readonly ada: HttpClient;
  readonly ben: HttpClient;
  readonly benId: string;
}

async function makeWorld(): Promise<World> {
  const server = await openTestServer();
  const admin = await server.person('approver');
  const ada = server.as((await server.host.person('approver', 'eng', 'Ada')).key);
  const { id, key } = await server.host.person('reader', 'eng', 'Ben');
  return { server, admin, ada, ben: server.as(key), benId: id };
}

/** What is visible in every world. */
async function work({ admin, ada, ben }: World, hidden: () => Promise<void>): Promise<void> {
  await ada.create('eng/plan.md', 'text');
  await hidden();
  await ben.get('/v1/documents/eng/plan.md');
  await ben.get('/v1/documents/eng/absent.md');
  await ben.get('/v1/search?q=text');
  await hidden();
  await ada.put('/v1/documents/eng/plan.md', { content: 'more' });
  await admin.post('/v1/moves', { location: 'eng/plan.md', to_folder: 'eng/done' });
  await hidden();
}

async function askEverything({ ada, ben, benId }: World): Promise<string> {
  const answers = [
    await ada.get('/v1/audit?location=eng&limit=3'),
    await ada.get('/v1/audit?location=eng&action=document.read'),
    await ada.get(`/v1/audit?location=eng&principal=${benId}`),
    await ada.get('/v1/audit?location=eng/done/plan.md'),
    await ada.get('/v1/audit'),
    await ada.get('/v1/audit?location=hr'),
    await ben.get('/v1/audit?from=2020-01-01T00:00:00Z'),
    await ben.get('/v1/audit?location=eng'),
  ];
  return nameRandom(
    answers
      .map(({ status, json }) => JSON.stringify([status, { ...json, next_cursor: json.next_cursor?.length }]))
      .join('\n'),
  );
}

/** Letters about a document, which are hidden from its approver, and refusals of somebody else. */
async function writeLetters({ server }: World, documentId: string, count: number): Promise<void> {
  const principal = await server.host.principal('Somebody');
  for (let left = count; left > 0; left -= 1000) {
    await server.host.workspace.journal.write({
      isRecordOnly: true,
      run(transaction) {
        for (let index = 0; index < 1000; index += 1) {
          const who = { principal, credential: null, interface: 'rest', requestId: null } as const;
          transaction.audit({ ...who, action: 'message.send', outcome: 'done', target: 'eng/plan.md', documentId });
          if (index % 10 > 0) continue;
          transaction.audit({ ...who, action: 'document.read', outcome: 'refused', code: 'NOT_FOUND', target: 'hr/x' });
        }
      },
    });
  }
}

interface AnsweredPage {
  readonly items: readonly object[];
  readonly next_cursor: string | null;
}

async function readPages(who: HttpClient, question: string): Promise<AnsweredPage[]> {
  const pages: AnsweredPage[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { status, text, json } = await who.get(`${question}${next === '' ? '' : `&cursor=${next}`}`);
    assert.equal(status, 200, text);
    pages.push(json as AnsweredPage);
    next = (json as AnsweredPage).next_cursor;
  }
  return pages;
}
