import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Connector, ConnectorKind, SourceFaultClass } from '../domain/connector.js';
import { invalidRequest } from '../domain/refusal.js';

/** A connection as it is asked for. */
export interface Connection {
  readonly kind: ConnectorKind;
  readonly settings: Connector['settings'];
  /** Of the kind's own form; null for none. */
  readonly secret: string | null;
}

/** What a test of a connection found out. No text in it holds a secret. */
export type ConnectionTest =
  | { readonly works: true; /** One line for people. */ readonly found: string }
  | { readonly works: false; readonly fault: SourceFaultClass; /** With the remedy. */ readonly message: string };

/** A kind of source, as people choose it. */
export interface DescribedKind {
  readonly kind: ConnectorKind;
  /** JSON Schema of its settings. */
  readonly settingsSchema: Readonly<Record<string, unknown>>;
  /** What its secret is, in words such as "a password or token"; null where it has none. */
  readonly secretMeans: string | null;
}

/** What operations ask about sources. The room `connectors` stands above them, and `app` gives this. */
export interface ConnectorSources {
  /** The kinds that can be connected here. */
  kinds(): Promise<readonly DescribedKind[]>;
  /**
   * Checks settings by the schema of their kind, and that a secret is there only where the kind takes one.
   * @throws Refusal INVALID_REQUEST `bad_settings`
   */
  check(connection: Connection): Promise<void>;
  /** One line for people: what these settings mirror. Never fails. */
  describe(connection: Pick<Connection, 'kind' | 'settings'>): Promise<string>;
  /** Tries the connection for a bounded time, and stores nothing. */
  test(connection: Connection): Promise<ConnectionTest>;
}

/** Where nothing can be connected. */
export const noSources: ConnectorSources = {
  kinds: () => Promise.resolve([]),
  check({ kind }) {
    const message = `This service cannot mirror sources of the kind ${kind}.`;
    return Promise.reject(invalidRequest('bad_settings', message, { field: 'kind' }));
  },
  describe: ({ kind }) => Promise.resolve(kind),
  test: () => Promise.resolve({ works: false, fault: 'internal', message: 'This service has no connectors.' }),
};

/** The scheduler of a workspace's runs. */
export interface ConnectorSchedule {
  /** A run may be due, or have become so. */
  wake(): void;
  /** Connectors that are due and wait for a slot. */
  readonly waiting: number;
  /** Ends a connector's run under way, if there is one. Resolves when nothing of it goes on. */
  cancel(connectorId: string): Promise<void>;
  /** Ends all runs under way, and begins no more. */
  close(): Promise<void>;
}

/** A workspace's way to its sources. Without a server nothing is scheduled, and the rest works. */
export class Connectors implements Omit<ConnectorSchedule, 'close'> {
  readonly sources: ConnectorSources;
  readonly #caches: string | null;
  readonly #onFault: (cause: unknown) => void;
  readonly #withheld = new Set<string>();
  #schedule: ConnectorSchedule | undefined;

  /**
   * @param caches folder of the caches of sources, one in it for each connector; null in memory
   * @param onFault receives faults of background work
   */
  constructor(sources: ConnectorSources, caches: string | null, onFault: (cause: unknown) => void) {
    this.sources = sources;
    this.#caches = caches;
    this.#onFault = onFault;
  }

  /** Hands it the scheduler, which is closed with the workspace. */
  start(schedule: ConnectorSchedule): void {
    this.#schedule = schedule;
  }

  wake(): void {
    this.#schedule?.wake();
  }

  get waiting(): number {
    return this.#schedule?.waiting ?? 0;
  }

  async cancel(connectorId: string): Promise<void> {
    await this.#schedule?.cancel(connectorId);
  }

  /** Runs work during which no run of these connectors begins. Those that are due begin after it, however it ends. */
  async withoutRuns<Result>(connectorIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    for (const id of connectorIds) this.#withheld.add(id);
    try {
      return await work();
    } finally {
      for (const id of connectorIds) this.#withheld.delete(id);
      this.wake();
    }
  }

  /** The connectors of which no run may begin now. */
  get withheld(): ReadonlySet<string> {
    return this.#withheld;
  }

  /** Ends a run under way, since it runs under old settings, and begins another if one is due. Nobody waits for it. */
  restart(connectorId: string): void {
    this.cancel(connectorId).then(() => this.wake(), this.#onFault);
  }

  /** Ends a run under way, and takes away what is stored of the source between runs. It can be made again. */
  async forgetCopy(connectorId: string): Promise<void> {
    await this.cancel(connectorId);
    if (this.#caches === null) return;
    // A source that was still opening can make a file there meanwhile.
    await rm(join(this.#caches, connectorId), { recursive: true, force: true, maxRetries: 5 });
  }

  /** The same, and nobody waits for it. */
  forget(connectorId: string): void {
    this.forgetCopy(connectorId).catch(this.#onFault);
  }

  async close(): Promise<void> {
    const schedule = this.#schedule;
    this.#schedule = undefined;
    await schedule?.close();
  }
}
