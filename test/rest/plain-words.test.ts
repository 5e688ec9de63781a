import assert from 'node:assert/strict';
import { describeRule } from '../../lib/domain/describe-rule.js';
import { openTestServer, type HttpAnswer, type HttpClient, type TestServer } from '../support/http/server.js';

describe('a refused request', () => {
  let server: TestServer;
  let ada: HttpClient;
  before(async () => {
    server = await openTestServer();
    ada = await server.person('approver');
  });
  after(() => server.close());

  it('names an unknown value of a query, and the known ones', async () => {
    assert.equal(
      await explain(ada.get('/v1/audit?outcome=maybe')),
      'The query parameter outcome is "maybe", and must be one of done, refused.',
    );
    assert.match(
      await explain(ada.get('/v1/changes?kind=created,gone')),
      /^The query parameter kind\.1 is "gone", and must be one of created, updated, /,
    );
  });

  it('says how an offset is sent whose plus sign came as a blank', async () => {
    assert.match(
      await explain(ada.get('/v1/audit?from=2026-11-26T21:00:00+01:00')),
      /send the \+ of its offset as %2B/,
    );
    assert.doesNotMatch(await explain(ada.get('/v1/audit?from=yesterday')), /%2B/);
  });

  it('says in words which numbers, lists and texts are allowed', async () => {
    assert.equal(await explain(ada.get('/v1/audit?limit=0')), 'The query parameter limit must be at least 1.');
    assert.match(await explain(ada.get('/v1/audit?limit=100000')), /^The query parameter limit must be at most \d+\.$/);
    assert.equal(await explain(ada.get('/v1/audit?limit=some')), 'The query parameter limit must be a whole number.');
    const webhook = { name: 'in', url: 'https://example.org/in', location: '' };
    assert.equal(
      await explain(ada.post('/v1/webhooks', { ...webhook, kinds: [] })),
      'The field kinds must have at least 1 item.',
    );
    assert.match(
      await explain(ada.post('/v1/webhooks', { ...webhook, kinds: ['gone'] })),
      /^The field kinds\.0 is "gone", and must be one of created, /,
    );
    assert.equal(
      await explain(ada.post('/v1/webhooks', { ...webhook, kinds: 5 })),
      'The field kinds must be a list or null.',
    );
    assert.equal(await explain(ada.post('/v1/folders', { location: 5 })), 'The field location must be text.');
  });

  it('quotes no more than the beginning of a long value', async () => {
    const message = await explain(ada.get(`/v1/audit?outcome=${'x'.repeat(3000)}`));
    assert.ok(message.length < 300, message);
    assert.match(message, /x…", and must be one of/);
  });

  it('is never told in the words of the validator', () => {
    const worded = [
      ['must NOT have fewer than 1 characters', 'must not be empty'],
      ['must NOT have fewer than 2 items', 'must have at least 2 items'],
      ['must NOT have fewer than 1 properties', 'must have at least 1 field'],
      ['must NOT have more than 1 items', 'must have at most 1 item'],
      ['must NOT have duplicate items (items ## 1 and 0 are identical)', 'must not have an item twice'],
      ['must be >= 1', 'must be at least 1'],
      ['must be < 5', 'must be less than 5'],
      ['must be string,null', 'must be text or null'],
      ['must be equal to constant', 'is not the one value that it may have'],
      ['must match exactly one schema in oneOf', 'has none of the forms that it may have'],
      ['must match format "date-time"', 'must be a date and time such as 2026-11-21T14:00:00Z'],
      ['must match pattern "^[a-z]+$"', 'is not of the form that it must have'],
    ];
    for (const [rule = '', words] of worded) assert.equal(describeRule(rule), words);
    assert.equal(describeRule('must be new and unheard of'), 'must be new and unheard of');
  });

  async function explain(answered: Promise<HttpAnswer>): Promise<string> {
    const { status, json } = await answered;
    assert.equal(status, 400);
    return json.error.message as string;
  }
});
