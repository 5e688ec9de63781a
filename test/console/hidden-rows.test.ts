import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { openConsole, type ConsoleClient, type TestConsole } from '../support/http/console.js';
import type { HttpAnswer } from '../support/http/server.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';

describe('The console’s pages of admins and approvers', () => {
  let test: TestConsole;
  /** What is there, and what is not. */
  const pairs: { readonly there: string; readonly absent: string }[] = [];

  before(async () => {
    test = await openConsole({ webhooks: { hosts: ['127.0.0.1:9'] } });
    const { host } = test;
    const admin = new Actor(host.workspace, await host.principal('Admin'));
    await host.grant('approver', { type: 'principal', id: admin.caller.principalId }, '');
    for (const path of ['secret/s.md', 'secret/e.md', 'team/t.md']) await admin.create(path);
    const erasure = await eraseAt(host.workspace, 'secret/e.md');
    const hook = { name: 'Index', url: 'http://127.0.0.1:9/', location: parseFolderLocation('secret'), kinds: null };
    const { webhook } = (await perform(host.workspace, admin.caller, createWebhook, hook)).result;
    for (const row of ['/audit', '/recent-changes', '/changes', '/webhooks', '/connectors']) {
      pairs.push({ there: `${row}?location=secret`, absent: `${row}?location=absent` });
    }
    const document = '&document=doc_none';
    for (const row of ['/audit', '/recent-changes', '/changes', '/erase-previews']) {
      const more = row === '/erase-previews' ? document : '';
      pairs.push({ there: `${row}?location=secret/s.md${more}`, absent: `${row}?location=secret/none.md${more}` });
    }
    pairs.push(
      { there: `/webhooks/${webhook.id}`, absent: `/webhooks/${'x'.repeat(webhook.id.length)}` },
      { there: `/webhooks/${webhook.id}/deliveries`, absent: `/webhooks/${'x'.repeat(webhook.id.length)}/deliveries` },
      { there: `/erasure?erasure=${erasure.id}`, absent: '/erasure?erasure=era_none' },
    );
  });
  after(() => test.close());

  it('answer alike about what is out of reach and what is absent, and lists are empty', async () => {
    const reader = await test.person('Reader', 'reader', 'team');
    const nobody = await test.person('Nobody');
    const approver = await test.person('Approver', 'approver', 'team');
    for (const who of [reader, nobody, approver]) {
      for (const { there, absent } of pairs) {
        assert.equal(allOf(await who.get(there)), allOf(await who.get(absent)), there);
      }
      for (const list of ['/erasures', '/webhooks', '/connectors', '/applications']) {
        const { status, json } = await who.get(list);
        assert.deepEqual([status === 404, json.items ?? []], [status === 404, []], list);
      }
    }
  });

  it('tell nothing by what happens where the person has no right', async () => {
    const who: readonly ConsoleClient[] = [await test.person('One', 'reader', 'team'), await test.person('Two')];
    const rows = [
      '/overview',
      '/recent-changes?since=2026-01-01T00:00:00Z',
      '/changes',
      '/erasures',
      '/webhooks',
      '/connectors',
      '/applications',
    ];
    const admins = ['/audit/verifications', '/audit/key', '/audit/export', '/connector-kinds'];
    const look = async (): Promise<string[]> => {
      const answers: string[] = [];
      for (const each of who) {
        for (const row of [...rows, ...admins]) {
          const answer = await each.get(row);
          // A sealed cursor is never the same twice.
          const said = { ...answer, text: answer.text.replace(/"next_cursor":"[^"]*"/, '"next_cursor":"…"') };
          answers.push(`${row} ${allOf(said)}`);
        }
      }
      return answers;
    };
    const before = await look();
    const admin = new Actor(test.host.workspace, await test.host.principal('Other'));
    await test.host.grant('approver', { type: 'principal', id: admin.caller.principalId }, '');
    await admin.create('secret/new.md');
    await admin.update('secret/new.md', 'more');
    await admin.delete('secret/s.md');
    await eraseAt(test.host.workspace, 'secret/new.md');
    assert.deepEqual(await look(), before);
  });
});

/** Status, headers and body, apart from what counts requests. */
function allOf({ status, headers, text }: HttpAnswer): string {
  const { date: _date, 'x-request-id': _id, 'x-ratelimit-remaining': _remaining, ...rest } = headers;
  return JSON.stringify([status, rest, text.replaceAll(/req_[a-z0-9]+/g, 'req')]);
}
