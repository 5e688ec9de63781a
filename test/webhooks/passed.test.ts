import assert from 'node:assert/strict';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { changeWebhook } from '../../lib/operations/webhooks/change-webhook.js';
import { pauses } from '../../lib/operations/webhooks/note-delivery.js';
import { setPrincipalState } from '../../lib/operations/principals/set-principal-state.js';
import type { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { until } from '../support/until.js';
import { HookedWorld } from './hooked-world.js';

/** What a webhook has passed over, and what ends its failures. */
describe('What a webhook did not tell', () => {
  let world: HookedWorld;

  const change = (webhookId: string, input: object): Promise<unknown> =>
    world.do(changeWebhook, { webhookId, ...input });
  const toggle = async (id: string): Promise<void> => {
    await change(id, { enabled: false });
    await change(id, { enabled: true });
  };

  describe('by its former kinds', () => {
    beforeEach(async () => {
      world = await HookedWorld.open({ store: 'disk' });
    });
    afterEach(() => world.close());

    const ways: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      'at once': () => Promise.resolve(),
      'after a start': () => world.restart(),
      'after it was disabled and enabled': toggle,
      'after both': async (id) => {
        await toggle(id);
        await world.restart();
      },
      'after it was enabled in another process': async (id) => {
        await change(id, { enabled: false });
        await world.restart();
        await change(id, { enabled: true });
      },
    };
    for (const [when, goOn] of Object.entries(ways)) {
      it(`is not told by its new ones, ${when}`, async () => {
        const { webhook } = await world.hook({ kinds: ['deleted'] });
        for (let index = 0; index < 3; index += 1) await world.ada.create(`team/old${index}.md`);
        await change(webhook.id, { kinds: ['created'] });
        await goOn(webhook.id);
        await rested();
        await world.ada.create('team/new.md');
        await world.told(1);
        await rested();
        assert.deepEqual(world.receiver.told(), ['document.created team/new.md']);
      });
    }

    it('is not told where they change before a start, or while it is disabled', async () => {
      const { webhook } = await world.hook({ kinds: ['deleted'] });
      await change(webhook.id, { enabled: false });
      await world.ada.create('team/old.md');
      await world.restart();
      await change(webhook.id, { kinds: ['created'] });
      await world.ada.create('team/new.md');
      await change(webhook.id, { enabled: true });
      await world.told(1);
      await rested();
      assert.deepEqual(world.receiver.told(), ['document.created team/new.md']);
    });

    it('is not told either where one of their messages waits, and what came after that is', async () => {
      const { webhook } = await world.hook({ kinds: ['deleted'] });
      world.receiver.answerWith(500);
      await world.ada.create('team/before.md');
      await world.ada.delete('team/start.md');
      await world.noted(webhook.id, 1);
      await world.ada.create('team/after.md');
      await change(webhook.id, { kinds: ['created', 'deleted'] });
      world.receiver.recover();
      world.pass(pauses[0] ?? 0);
      await world.told(3);
      await rested();
      const told = world.receiver.told().slice(1);
      assert.deepEqual(told, ['document.deleted team/start.md', 'document.created team/after.md']);
    });

    it('a webhook is not sent missed security events by its former kinds', async () => {
      const root = { caller: operator } as Actor;
      const input = { location: parseFolderLocation(''), kinds: ['security.policy_changed'] } as const;
      const { webhook } = await world.hook(input, root);
      const ben = await world.test.principal('Ben');
      await world.do(setPrincipalState, { principalId: ben, disabled: true }, root);
      await rested();
      const kinds = ['security.principal_changed'] as const;
      await world.do(changeWebhook, { webhookId: webhook.id, kinds }, root);
      await world.restart();
      await world.do(setPrincipalState, { principalId: ben, disabled: false }, root);
      await world.told(1);
      await rested();
      assert.equal(world.receiver.received.length, 1);
    });

    it('is not looked at again after a good end', async () => {
      const { webhook } = await world.hook({ kinds: ['deleted'] });
      // Both are woken together.
      await world.hook();
      await world.ada.create('team/old.md');
      await world.told(1);
      await rested();
      const { position } = world.row(webhook.id);
      await world.restart();
      assert.notEqual(world.row(webhook.id).position, position);
    });
  });

  describe('because it went out of reach', () => {
    beforeEach(async () => {
      world = await HookedWorld.open();
    });
    afterEach(() => world.close());

    it('does not count as failing any more', async () => {
      const { webhook } = await world.hook({ kinds: ['created'] });
      world.receiver.answerWith(500);
      await world.ada.create('team/a.md');
      await world.noted(webhook.id, 1);
      assert.equal(world.row(webhook.id).failures, 1);
      await world.ada.delete('team/a.md');
      world.pass(pauses[0] ?? 0);
      await until('it has no failure', () => world.row(webhook.id).failures === 0);
      assert.equal(world.row(webhook.id).nextAttemptAt, null);
      assert.equal(world.test.workspace.journal.reader.webhooks.tally().failing, 0);
      await world.ada.create('team/b.md');
      await world.noted(webhook.id, 2);
      const { failures, nextAttemptAt } = world.row(webhook.id);
      assert.deepEqual([failures, nextAttemptAt], [1, world.test.clock.now() + (pauses[0] ?? 0)]);
    });
  });

  it('events that a webhook did not send are recorded once an hour', async () => {
    world = await HookedWorld.open();
    const { webhook } = await world.hook({ kinds: ['deleted'] });
    await world.hook();
    await world.ada.create('team/a.md');
    await world.told(1);
    await rested();
    const { position } = world.row(webhook.id);
    world.test.clock.advance(60 * 60_000);
    await world.ada.create('team/b.md');
    await until('its position is noted', () => world.row(webhook.id).position !== position);
    await world.close();
  });

  const rested = (): Promise<unknown> =>
    until('nothing is under way', () => world.test.workspace.webhooks.waiting === 0);
});
