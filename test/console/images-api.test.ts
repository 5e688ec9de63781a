import assert from 'node:assert/strict';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import type { HttpClient } from '../support/http/server.js';

const dot = Buffer.from('iVBORw0KGgo=', 'base64');

describe('The images in a page', () => {
  let test: TestConsole;
  let bob: ConsoleClient;
  let ada: HttpClient;

  before(async () => {
    test = await openConsole();
    bob = await test.person('Bob', 'reader');
    ada = await test.server.person('approver');
    const png = { 'Content-Type': 'image/png', 'If-None-Match': '*' };
    await ada.send('PUT', '/v1/files/sec/plan.png', { body: dot, headers: png });
    await ada.create('sec/secret.md', 'secret');
    await ada.create('pub/page.md', '![](../sec/secret.md)');
  });
  after(() => test.close());

  const within = `within=${encodeURIComponent('pub/page.md')}`;

  it('are images alone: another document is like an absent one, and nobody has read it', async () => {
    const before = test.server.records().length;
    const refused = await bob.get(`/images/sec/secret.md?${within}`);
    const absent = await bob.get(`/images/sec/none.md?${within}`);
    assert.deepEqual([refused.status, refused.json.error.message], [404, absent.json.error.message]);
    const actions = test.server
      .records()
      .slice(before)
      .map(({ record }) => [record.action, record.outcome]);
    assert.deepEqual(actions, [
      ['document.show_image', 'refused'],
      ['document.show_image', 'refused'],
    ]);
    const { items } = (await ada.get(`/v1/audit?location=sec/secret.md&outcome=done&principal=${bob.principalId}`))
      .json;
    assert.deepEqual(items, []);
  });

  it('are on record with the page that showed them', async () => {
    const shown = await bob.get(`/images/sec/plan.png?${within}`);
    assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/png']);
    assert.deepEqual(shown.bytes, dot);
    const last = test.server.records().at(-1);
    assert.equal(last?.record.action, 'document.show_image');
    assert.deepEqual(JSON.parse(last?.text?.detail ?? ''), { within: 'pub/page.md' });
    const { items } = (await ada.get(`/v1/audit?location=sec/plan.png&principal=${bob.principalId}`)).json;
    assert.deepEqual([items[0].action, items[0].detail], ['document.show_image', { within: 'pub/page.md' }]);
    assert.equal((await bob.get('/images/sec/plan.png')).refusal, 'INVALID_REQUEST missing_field');
  });
});
