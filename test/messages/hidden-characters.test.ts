import assert from 'node:assert/strict';
import { Refusal } from '../../lib/domain/refusal.js';
import { parseDisplayName } from '../../lib/operations/principals/parse-name.js';
import { outcomeOf } from '../support/store/actor.js';
import { addClient, type Client } from '../support/store/client.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('Text for other people', () => {
  let service: TestService;
  let ada: Client;
  let ben: Client;

  before(async () => {
    service = await openTestService();
    const host = { service, workspace: service.workspace };
    ada = await addClient(host, 'Ada', 'approver', 'a');
    ben = await addClient(host, 'Ben', 'editor', 'a');
    await ada.create('a/x.md');
  });
  after(() => service.close());

  it('a message has a subject without hidden characters', async () => {
    for (const bad of ['a\u200bb', '\u202eab', 'a\u{e0041}', 'a\u2028b', 'a\u0085b', 'a\u00adb']) {
      assert.equal(await send('text', bad), 'INVALID_REQUEST bad_field');
    }
    assert.equal(await send('text', '👩🏽‍🚀 گزارش کار‌ها'), 'done');
  });

  it('has a text without control and tag characters, in either direction', async () => {
    for (const bad of ['a\u009b2J', 'a\u001b[2J', 'a\u007f', 'a\u{e0041}\u{e0042}']) {
      assert.equal(await send(bad, 'Hello'), 'INVALID_REQUEST bad_field');
      assert.equal(await outcomeOf(ada.comment('a/x.md', bad)), 'INVALID_REQUEST bad_field');
    }
    for (const good of ['one\n\ttwo', '\u200fשלום\u200f, Ada', 'soft\u00adhyphen']) {
      assert.equal(await send(good, 'Hello'), 'done');
      assert.equal(await outcomeOf(ada.comment('a/x.md', good)), 'done');
    }
  });

  it('names the character and its place', async () => {
    const refusal = await ada.send([ben.id], 'ab\u009b', { subject: 'Hello' }).catch((error: unknown) => error);
    assert.ok(refusal instanceof Refusal);
    assert.equal(refusal.message, 'The body has U+009B as character 3, which no text needs.');
    assert.deepEqual(refusal.details, { reason: 'bad_field', field: 'body', character: 'U+009B', position: 3 });
  });

  it('comes from a sender with an undeceptive name', () => {
    for (const bad of ['Ada\u200b', 'Ad\u00ada', '\u202eadA', 'A\u{e0041}', `a${'\u0301'.repeat(100_000)}`]) {
      assert.throws(() => parseDisplayName(bad), Refusal);
    }
    for (const good of ['Ada Lovelace', 'فاطمه رضایی‌نیا', '葛\u{e0100}城']) assert.equal(parseDisplayName(good), good);
  });

  const send = (body: string, subject?: string) =>
    outcomeOf(ada.send([ben.id], body, subject === undefined ? {} : { subject }));
});
