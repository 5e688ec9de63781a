import assert from 'node:assert/strict';
import { perform } from '../../lib/operations/perform.js';
import type { WorkspaceContext } from '../../lib/commands/command.js';
import { Fields } from '../../lib/commands/fields.js';
import { makeOperator } from '../../lib/commands/initialize.js';
import { connectorCommands } from '../../lib/commands/connector-commands.js';
import { principalCommands } from '../../lib/commands/principal-commands.js';
import { webhookCommands } from '../../lib/commands/webhook-commands.js';
import { listPages, Room, readPages } from '../../lib/commands/read-pages.js';
import { openTestService, type TestService } from '../support/store/service.js';

describe('A list on the command line', () => {
  it('of long texts ends before it takes much memory', async () => {
    const items = await readPages(page('a'.repeat(8000), 200));
    const length = items.reduce((sum, { text }) => sum + text.length, 0);
    assert(length > 16 * 1024 * 1024 && length < 36 * 1024 * 1024, String(length));
  });

  it('of short ones ends after 100,000 items, also where it is made of many lists', async () => {
    assert.equal((await readPages(page('a', 1000))).length, 100_000);
    const room = new Room();
    assert.equal((await readPages(page('a', 60_000), { room })).length, 120_000);
    assert(room.isFull);
    assert.deepEqual(await readPages(page('a', 1), { room }), []);
  });

  it('says that it is cut, and nothing where it is whole', async () => {
    const short = (item: { readonly text: string }): string => item.text.slice(0, 1);
    const cut = await listPages(page('a', 60_000), short);
    assert.deepEqual([cut.items.length, cut.is_cut], [120_000, true]);
    const whole = await listPages(() => Promise.resolve({ items: [{ text: 'ab' }], next: null }), short);
    assert.deepEqual(whole, { items: ['a'] });
    const items = Array.from({ length: 100_000 }, () => ({ text: 'a' }));
    assert.equal((await listPages(() => Promise.resolve({ items, next: null }), short)).is_cut, undefined);
  });

  const author = { id: 'prn_ada', kind: 'person', displayName: 'Ada' };
  const times = { nextAttemptAt: null, rotatingUntil: null, nextRunAt: null, syncedAt: null, createdAt: 0 };
  const listed = { ...times, lastDelivery: null, lastRun: null, interval: 0, owner: author, createdBy: author };
  for (const [name, commands] of [
    ['webhook.list', webhookCommands],
    ['connector.list', connectorCommands],
  ] as const) {
    it(`says of webhooks and connectors, too, that it is cut: ${name}`, async () => {
      let pages = 0;
      const asked = async (): Promise<unknown> => {
        pages += 1;
        return { items: Array.from({ length: 60_000 }, () => listed), next: pages < 9 ? 'more' : null };
      };
      const context = { perform: asked } as unknown as WorkspaceContext;
      const found = await commands[name]?.run(context, new Fields({}));
      const { items, is_cut } = found as { readonly items: readonly unknown[]; readonly is_cut?: boolean };
      assert.deepEqual([items.length, is_cut, pages], [120_000, true, 2]);
    });
  }

  describe('of the members of a group', () => {
    let service: TestService;
    before(async () => {
      service = await openTestService();
      const { journal } = service.workspace;
      await journal.write({
        run({ tables, now }) {
          tables.groups.insert({ id: 'grp_long', displayName: 'Long', createdAt: now });
          for (let number = 0; number < 450; number += 1) {
            const id = `prn_${number}`;
            tables.principals.insert({
              id,
              kind: 'agent',
              displayName: `A ${number}`,
              createdAt: now,
              disabledAt: null,
            });
            tables.groups.join('grp_long', { type: 'principal', id }, now);
          }
        },
      });
    });
    after(() => service.close());

    for (const [command, fields] of [
      ['group.list', {}],
      ['group.show', { group: 'grp_long' }],
    ] as const) {
      it(`reads many at once, since each page goes through all: ${command}`, async () => {
        const read: string[] = [];
        const { workspace } = service;
        const caller = makeOperator(workspace.randomness);
        const asked: WorkspaceContext['perform'] = async (operation, input) => {
          read.push(operation.name);
          return (await perform(workspace, caller, operation, input)).result;
        };
        await principalCommands[command]?.run({ workspace, perform: asked } as WorkspaceContext, new Fields(fields));
        assert.equal(read.filter((name) => name === 'group.members').length, 1);
      });
    }
  });

  const page = (text: string, items: number) => () =>
    Promise.resolve({ items: Array.from({ length: items }, () => ({ text })), next: 'more' });
});
