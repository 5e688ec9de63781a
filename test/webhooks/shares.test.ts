import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { parseFolderLocation } from '../../lib/domain/location.js';
import { perform } from '../../lib/operations/perform.js';
import { createWebhook } from '../../lib/operations/webhooks/create-webhook.js';
import { Actor } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { HookedWorld } from './hooked-world.js';

describe('Many webhooks with receivers that take their time', () => {
  let world: HookedWorld;
  let slow: Receiver;
  let waiting: ServerResponse[];

  beforeEach(async () => {
    slow = await Receiver.open();
    waiting = [];
    slow.answer = (response) => void waiting.push(response);
    world = await HookedWorld.open({ hosts: [slow.host] });
  });
  afterEach(async () => {
    await world.close();
    await slow.close();
  });

  it('take a share of what their owner may have under way, and others are told meanwhile', async () => {
    for (let count = 0; count < 20; count += 1) await world.hook({ url: slow.url });
    const { webhook } = await world.hook({}, await addOwner());
    for (const name of ['a', 'b', 'c']) await world.ada.create(`team/${name}.md`);
    await world.noted(webhook.id, 3);
    await until('the owner has a share under way', () => waiting.length >= 3);
    await world.ada.create('team/d.md');
    await world.noted(webhook.id, 4);
    assert.equal(waiting.length, 3);
  });

  it('take a share of what their workspace may have under way, with any owner', async () => {
    for (let owners = 0; owners < 4; owners += 1) {
      const owner = await addOwner();
      for (let count = 0; count < 3; count += 1) await world.hook({ url: slow.url }, owner);
    }
    await world.ada.create('team/a.md');
    await until('as many as may be are under way', () => waiting.length === 9);
    const { test, bob } = await world.neighbour();
    const input = { name: 'Index', url: world.receiver.url, location: parseFolderLocation('team'), kinds: null };
    await perform(test.workspace, bob.caller, createWebhook, input);
    await bob.create('team/b.md');
    await world.told(1);
    assert.equal(waiting.length, 9);
  });

  it('all get their message although each receiver is slow', async () => {
    for (let count = 0; count < 8; count += 1) await world.hook({ url: slow.url });
    await world.ada.create('team/a.md');
    for (let told = 3; told <= 8; told += 1) {
      await until(`${told} are told`, () => slow.received.length === told);
      waiting.shift()?.writeHead(204).end();
    }
    const told = slow.received.map(({ body }) => (JSON.parse(body) as { data: { webhook: string } }).data.webhook);
    assert.equal(new Set(told).size, 8);
  });

  it('take none of the places of others when they fail', async () => {
    slow.answerWith(500);
    const failing = [];
    for (let count = 0; count < 6; count += 1) failing.push((await world.hook({ url: slow.url })).webhook.id);
    await world.ada.create('team/a.md');
    for (const id of failing) await world.noted(id, 1);
    slow.answer = (response) => void waiting.push(response);
    slow.received.length = 0;
    world.pass(5000);
    await until('those that are tried again have their share', () => waiting.length === 2);
    const { webhook } = await world.hook();
    await world.ada.create('team/b.md');
    await world.noted(webhook.id, 1);
    assert.equal(waiting.length, 2);
  });

  const addOwner = async (): Promise<Actor> =>
    new Actor(world.test.workspace, (await world.test.person('approver', 'team')).id);
});
