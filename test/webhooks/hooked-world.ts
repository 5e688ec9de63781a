import assert from 'node:assert/strict';
import { Service } from '../../lib/app/service.js';
import { parseFolderLocation } from '../../lib/domain/location.js';
import type { Webhook, WebhookDelivery } from '../../lib/domain/webhook.js';
import type { Operation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { createWebhook, type CreateWebhookInput } from '../../lib/operations/webhooks/create-webhook.js';
import { listDeliveries } from '../../lib/operations/webhooks/list-webhooks.js';
import type { WebhookWithSecret } from '../../lib/operations/webhooks/find-webhook.js';
import type { Timers } from '../../lib/scheduling/timers.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, openTestService, TestService, type TestServiceOptions } from '../support/store/service.js';
import { until } from '../support/until.js';
import { Receiver } from '../support/webhooks/receiver.js';

/** Timers that a test lets ring. */
class HandTimers implements Timers {
  readonly #waiting = new Set<() => void>();

  after(_milliseconds: number, work: () => void): () => void {
    this.#waiting.add(work);
    return () => this.#waiting.delete(work);
  }

  ring(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const work of waiting) work();
  }
}

/** A service that delivers webhooks, a receiver, and Ada, approver of `team`. */
export class HookedWorld {
  test: TestService;
  readonly receiver: Receiver;
  ada: Actor;
  readonly timers: HandTimers;
  readonly #webhooks: TestServiceOptions['webhooks'];
  readonly #receivers: Receiver[] = [];
  #restarts = 0;

  private constructor(
    test: TestService,
    receiver: Receiver,
    ada: Actor,
    timers: HandTimers,
    webhooks: TestServiceOptions['webhooks'],
  ) {
    this.test = test;
    this.receiver = receiver;
    this.ada = ada;
    this.timers = timers;
    this.#webhooks = webhooks;
  }

  /** @param hosts receivers that may be reached beside the first one */
  static async open({
    hosts = [],
    ...options
  }: { readonly hosts?: readonly string[] } & TestServiceOptions = {}): Promise<HookedWorld> {
    const receiver = await Receiver.open();
    const timers = new HandTimers();
    // A busy machine must not look like a receiver that does not answer.
    const timeouts = { head: 60_000, idle: 60_000, body: 60_000 };
    const webhooks = { hosts: [receiver.host, ...hosts], timers, timeouts, ...options.webhooks };
    const test = await openTestService({ ...options, webhooks });
    // Signatures are of the time, and those who verify them look at their own clocks.
    test.clock.milliseconds = Date.now();
    const { id } = await test.person('approver', 'team', 'Ada');
    const ada = new Actor(test.workspace, id);
    await ada.create('team/start.md');
    await test.service.startSchedules();
    return new HookedWorld(test, receiver, ada, timers, webhooks);
  }

  /** Ends the service, and starts it again. For a service on disk. */
  async restart(): Promise<void> {
    const { clock, dataFolder } = this.test;
    await this.test.service.close();
    const service = await Service.open({
      dataFolder,
      git: 'auto',
      clock,
      randomness: makeTestRandomness(`restarted ${(this.#restarts += 1)}`),
      onFault: (what, cause) => assert.fail(`${what}: ${String(cause)}`),
      ...(this.#webhooks !== undefined && { webhooks: this.#webhooks }),
    });
    const workspace = service.find('acme');
    assert.ok(workspace !== undefined, 'the workspace is there again');
    this.test = new TestService(service, workspace, clock, dataFolder);
    this.ada = new Actor(workspace, this.ada.caller.principalId);
    await service.startSchedules();
  }

  /** Another workspace of the service, with an approver of `team`. */
  async neighbour(): Promise<{ readonly test: TestService; readonly bob: Actor }> {
    const { service, clock, dataFolder } = this.test;
    const test = new TestService(service, await service.addWorkspace('other'), clock, dataFolder);
    const bob = new Actor(test.workspace, (await test.person('approver', 'team', 'Bob')).id);
    await bob.create('team/start.md');
    return { test, bob };
  }

  /** A webhook of Ada's for `team`, to the receiver. */
  hook(input: Partial<CreateWebhookInput> = {}, by: Actor = this.ada): Promise<WebhookWithSecret> {
    const { url } = this.receiver;
    const usual = { name: 'Index', url, location: parseFolderLocation('team'), kinds: null };
    return this.do(createWebhook, { ...usual, ...input }, by);
  }

  /** Performs an operation. */
  async do<Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
    by: Pick<Actor, 'caller'> = this.ada,
  ): Promise<Result> {
    return (await perform(this.test.workspace, by.caller, operation, input)).result;
  }

  row(id: string): Webhook {
    const webhook = this.test.workspace.journal.reader.webhooks.byId(id);
    if (webhook === undefined) throw new Error(`There is no webhook ${id}.`);
    return webhook;
  }

  async attempts(webhookId: string): Promise<readonly WebhookDelivery[]> {
    return (await this.do(listDeliveries, { webhookId, after: '', limit: 200 })).items;
  }

  /** Waits until so many attempts of a webhook are noted. */
  async noted(id: string, count: number): Promise<readonly WebhookDelivery[]> {
    await until(`${count} attempts are noted`, () => this.#countOf(id) >= count);
    return this.attempts(id);
  }

  #countOf(id: string): number {
    return this.test.workspace.journal.reader.webhooks.deliveries(id, Number.MAX_SAFE_INTEGER, 200).length;
  }

  told(count: number): Promise<unknown> {
    return until(`${count} messages have come`, () => this.receiver.received.length >= count);
  }

  /** Lets time pass, and what is due begin. */
  pass(milliseconds: number): void {
    this.test.clock.advance(milliseconds);
    this.timers.ring();
  }

  async another(): Promise<Receiver> {
    const receiver = await Receiver.open();
    this.#receivers.push(receiver);
    return receiver;
  }

  async close(): Promise<void> {
    await this.test.close();
    for (const each of [this.receiver, ...this.#receivers]) await each.close();
  }
}
