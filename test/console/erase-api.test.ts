import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';

const minute = 60_000;

describe('the console’s API for erasing', () => {
  let test: TestConsole;
  let admin: ConsoleClient;
  let approver: ConsoleClient;

  before(async () => {
    test = await openConsole();
    admin = await test.person('Admin', 'approver');
    approver = await test.person('Approver', 'approver', 'handbook');
  });
  after(() => test.close());

  it('is absent for everybody who is not an approver of the document, in preview, erase and receipt', async () => {
    const document = await create('handbook/kept.md');
    const editor = await test.person('Editor', 'editor', 'handbook');
    const nobody = await test.person('Nobody');
    const own = await create('handbook/own.md');
    const receipt = (await erase(approver, 'handbook/own.md', own, 'own.md')).json.id;
    const messages = new Set<string>();
    for (const who of [editor, nobody]) {
      for (const answer of [
        await preview(who, 'handbook/kept.md', document),
        await preview(who, 'handbook/absent.md', document),
        await erase(who, 'handbook/kept.md', document, 'kept.md'),
        await erase(who, 'handbook/kept.md', document, 'wrong'),
        await who.get(`/erasure?erasure=${receipt}`),
        await who.get('/erasure?erasure=era_none'),
      ]) {
        if (answer.refusal !== 'INVALID_REQUEST name_mismatch') assert.equal(answer.refusal, 'NOT_FOUND');
        messages.add(answer.json.error.message);
      }
      assert.deepEqual((await who.get('/erasures')).json.items, []);
    }
    assert.equal(messages.size, 1);
    assert.equal((await admin.get('/documents/handbook/kept.md')).status, 200);
  });

  it('asks for a sign-in of the last five minutes, and for the very name', async () => {
    const location = 'handbook/plan.md';
    const document = await create(location);
    const { clock } = test.host;
    const signedInAt = clock.now();
    const late = await test.person('Late', 'approver', 'handbook');
    assert.equal(
      (await preview(late, location, document)).json.signed_in_until,
      new Date(signedInAt + 5 * minute).toISOString(),
    );
    clock.advance(5 * minute);
    assert.equal((await preview(late, location, document)).json.signed_in_until, null);
    assert.equal((await erase(late, location, document, 'plan.md')).refusal, 'CONFLICT sign_in_again');
    clock.advance(-6 * minute);
    assert.equal(
      (await erase(late, location, document, 'plan.md')).refusal,
      'CONFLICT sign_in_again',
      'a clock that was set back makes nothing recent',
    );
    clock.advance(2 * minute);
    assert.equal((await erase(late, location, document, 'Plan.md')).refusal, 'INVALID_REQUEST name_mismatch');
    assert.equal((await admin.get(`/documents/${location}`)).status, 200);
    assert.equal((await erase(late, location, document, 'plan.md')).status, 202);
    clock.advance(5 * minute);
  });

  it('hides at once, follows the erase to its end, and repeats nothing on what came to the place since', async () => {
    const who = await test.person('Eraser', 'approver', 'handbook');
    const location = 'handbook/secret-heron.md';
    const document = await create(location);
    const found = (await preview(who, location, document)).json;
    assert.deepEqual([found.versions, found.comments, found.bytes], [1, 0, `content of ${location}`.length]);
    const { status, json } = await erase(who, location, document, 'secret-heron.md');
    assert.equal(status, 202);
    assert.equal((await admin.get(`/documents/${location}`)).status, 404);
    await create(location);
    assert.equal((await erase(who, location, document, 'secret-heron.md')).refusal, 'NOT_FOUND');
    assert.equal((await admin.get(`/documents/${location}`)).status, 200);
    await test.host.workspace.eraser.finished(json.id);
    const receipt = (await who.get(`/erasure?erasure=${json.id}`)).json;
    assert.deepEqual([receipt.phase, receipt.step, receipt.hindrance], ['final', 'final', null]);
    assert.doesNotMatch(JSON.stringify(receipt), /heron/);
    assert.deepEqual(
      (await who.get('/erasures')).json.items.map(({ id }: { id: string }) => id),
      [json.id],
    );
    const all = (await admin.get('/erasures?limit=1')).json;
    assert.equal(all.items[0].id, json.id, 'an admin sees those of others');
    const next = (await admin.get(`/erasures?limit=1&cursor=${all.next_cursor}`)).json;
    assert.notEqual(next.items[0].id, json.id);
  });

  it('erases what lies in the trash, which says who may', async () => {
    const location = 'handbook/old.md';
    const document = await create(location);
    const editor = await test.person('Second editor', 'editor', 'handbook');
    assert.equal((await admin.delete(`/documents/${location}`)).status, 200);
    const mayErase = async (who: ConsoleClient) =>
      (await who.get('/trash')).json.items.find((item: { location: string }) => item.location === location).document
        .may_erase;
    const fresh = await test.person('Fresh', 'approver', 'handbook');
    assert.deepEqual([await mayErase(editor), await mayErase(fresh)], [false, true]);
    assert.notEqual((await preview(fresh, location, document)).json.deleted_at, null);
    assert.equal((await erase(fresh, location, document, 'old.md')).status, 202);
    assert.equal((await preview(fresh, location, document)).refusal, 'NOT_FOUND');
  });

  const create = async (location: string): Promise<string> =>
    (await admin.post('/documents', { location, content: `content of ${location}` })).json.id;

  const preview = (who: ConsoleClient, location: string, document: string) =>
    who.get(`/erase-previews?location=${encodeURIComponent(location)}&document=${document}`);

  const erase = (who: ConsoleClient, location: string, document: string, confirmation: string) =>
    who.post('/erasures', { location, document, confirmation });
});
