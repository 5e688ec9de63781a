import { Cartulary, type CartularyOptions, type Pace } from 'cartulary/client';
import { FaultProxy } from '../support/http/fault-proxy.js';
import { openTestServer, type TestServer } from '../support/http/server.js';
import { MovingClock } from '../support/store/service.js';

/** A pace whose waits take no time, are remembered, and let its clock go on. */
export class TestPace implements Pace {
  /** Milliseconds of each wait. */
  readonly waits: number[] = [];
  readonly keys: string[] = [];
  /** Called in place of a wait. */
  onWait: (signal: AbortSignal | undefined) => void = () => {};

  #now = 1_700_000_000_000;

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    this.waits.push(milliseconds);
    this.#now += milliseconds;
    this.onWait(signal);
    return Promise.resolve();
  }

  newKey(): string {
    const key = `key-${this.keys.length}-${this.#name}`;
    this.keys.push(key);
    return key;
  }

  readonly #name: string;

  /** @param name keeps the keys of several clients of one principal apart */
  constructor(name = 'test') {
    this.#name = name;
  }
}

/** A service, a proxy before it, and a person with a key that may do everything. */
export interface ClientTest {
  readonly server: TestServer;
  readonly proxy: FaultProxy;
  readonly key: string;
  readonly personId: string;
  /** A client of that key, through the proxy. */
  connect(options?: Partial<CartularyOptions>): { readonly cartulary: Cartulary; readonly pace: TestPace };
  close(): Promise<void>;
}

let serial = 0;

export async function openClientTest(): Promise<ClientTest> {
  const server = await openTestServer({ clock: new MovingClock() });
  const proxy = await FaultProxy.open(server.rest.url);
  const { id, key } = await server.host.person('approver', '', 'Ada');
  return {
    server,
    proxy,
    key,
    personId: id,
    connect(options = {}) {
      serial += 1;
      const pace = new TestPace(`client-${serial}`);
      return { cartulary: new Cartulary({ baseUrl: proxy.url, key, pace, ...options }), pace };
    },
    async close() {
      await proxy.close();
      await server.close();
    },
  };
}
