import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ledger } from './ledger.js';

/** Where the service of this round answers. */
export interface Place {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
}

/** What came of one round's work. */
export interface CrowdTally {
  kills: number;
  writes: number;
  uploads: number;
  pushes: number;
  syncs: number;
  erases: number;
  folders: number;
  backups: number;
  clones: number;
  /** Requests without an answer that were sent again after a kill. */
  unanswered: number;
}

/** Somebody who works until their service is killed, and goes on with the next one. */
export interface Participant {
  readonly name: string;
  /** @throws AssertionError when the service answers what it must not */
  work(place: Place, isOver: () => boolean): Promise<void>;
  /** Finds out what became of what was not answered. Nobody works meanwhile. */
  settle(place: Place): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A request that can be sent again: under its key it is done once. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the service's address. */
  readonly path: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Milliseconds for which a service may ask to try again. */
const patience = 60_000;

/** Sends a request until it is answered. @returns undefined when the service is gone */
export async function send({ url }: Place, secret: string, ask: Ask): Promise<Answer | undefined> {
  const headers = {
    authorization: `Bearer ${secret}`,
    ...(typeof ask.body === 'string' ? { 'content-type': 'application/json' } : {}),
    ...(ask.key === undefined ? {} : { 'idempotency-key': ask.key }),
    ...ask.headers,
  };
  for (const end = performance.now() + patience; ;) {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(url + ask.path, {
        method: ask.method,
        headers,
        ...(ask.body === undefined ? {} : { body: ask.body }),
      });
      text = await answer.text();
    } catch {
      return undefined;
    }
    const isLater = answer.status === 429 || answer.status === 503;
    if (isLater && performance.now() < end) {
      await delay(100);
      continue;
    }
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return {
      status: answer.status,
      etag: (answer.headers.get('etag') ?? '').replaceAll('"', ''),
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      text,
    };
  }
}

/** A write that is not answered yet, and what takes its answer. */
interface OpenWrite {
  readonly ask: Ask;
  readonly take: (answer: Answer) => void;
}

/** An address's part for a location. */
export const inPath = (location: string): string => location.split('/').map(encodeURIComponent).join('/');

/** Somebody with a key for REST. What is open when the service is killed is sent again, under the same key. */
export abstract class Person implements Participant {
  readonly name: string;
  protected readonly secret: string;
  protected readonly ledger: Ledger;
  protected readonly tally: CrowdTally;
  protected readonly random: () => number;
  protected serial = 0;
  #open: OpenWrite | undefined;

  constructor(name: string, { secret, ledger, tally, random }: Equipment) {
    this.name = name;
    this.secret = secret;
    this.ledger = ledger;
    this.tally = tally;
    this.random = random;
  }

  async work(place: Place, isOver: () => boolean): Promise<void> {
    while (!isOver() && (await this.step(place))) this.serial += 1;
    this.serial += 1;
  }

  /** @returns whether the service is still there */
  protected abstract step(place: Place): Promise<boolean>;

  /**
   * Sends a write.
   * @param take gets the answer, now or after the kill that broke it off
   * @returns whether it was answered
   */
  protected async write(place: Place, ask: Ask, take: (answer: Answer) => void): Promise<boolean> {
    const key = `${this.name} ${this.serial} ${ask.method} ${ask.path}`.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 200);
    const open = { ask: { ...ask, key }, take };
    this.#open = open;
    return this.#finish(place, open);
  }

  async #finish(place: Place, { ask, take }: OpenWrite): Promise<boolean> {
    const answer = await send(place, this.secret, ask);
    if (answer === undefined) {
      this.ledger.note(this.name, `${ask.method} ${ask.path} was not answered`);
      return false;
    }
    assert.ok(answer.status < 500, `${this.name}: ${ask.method} ${ask.path}: ${answer.status} ${answer.text}`);
    this.#open = undefined;
    take(answer);
    return true;
  }

  async settle(place: Place): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.tally.unanswered += 1;
    assert.ok(await this.#finish(place, open), `${this.name}: the service is gone`);
  }
}

/** What everybody works with. */
export interface Equipment {
  /** The key of the person. */
  readonly secret: string;
  readonly ledger: Ledger;
  readonly tally: CrowdTally;
  readonly random: () => number;
}

/** @throws AssertionError that names the request, unless it was done */
export function requireDone(who: string, what: string, { status, text }: Answer): void {
  assert.ok(status < 300, `${who}: ${what}: ${status} ${text}`);
}
