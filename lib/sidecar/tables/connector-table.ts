import type { Connector, ConnectorState, RunTrigger } from '../../domain/connector.js';
import { Table } from '../statement.js';

/** A new connector's row. Its first run is due at once. */
export interface NewConnector extends Pick<
  Connector,
  'id' | 'kind' | 'location' | 'settings' | 'interval' | 'createdAt' | 'createdBy'
> {
  /** One line for people: what the settings mirror. */
  readonly described?: string;
  /** Sealed. */
  readonly secret: Uint8Array | null;
}

/** Its state beyond what is shown. */
export interface ConnectorSecrets {
  /** Sealed. */
  readonly secret: Uint8Array | null;
  /** Sealed. */
  readonly webhookSecret: Uint8Array | null;
}

/** When and why the next run starts. */
export interface NextRun {
  /** Milliseconds since 1970; null for none. */
  readonly at: number | null;
  readonly trigger: RunTrigger;
}

/** Nothing lets a connector wait longer than the longer of both. */
export interface LongestWait {
  /** Milliseconds, after a failure. */
  readonly pause: number;
  /** Milliseconds, until the end of a run. */
  readonly run: number;
  /** Of its interval. */
  readonly stretch: number;
}

/** The connectors of one state, in numbers. */
export interface ConnectorTally {
  readonly state: ConnectorState;
  readonly connectors: number;
  /** Those whose last runs failed. */
  readonly failing: number;
  /** Milliseconds since 1970: the oldest of their last whole syncs, or of their beginnings where there was none. */
  readonly freshUntil: number;
}

interface Row extends Omit<Connector, 'settings' | 'hasSecret' | 'hasWebhook'> {
  readonly settings: string;
  readonly hasSecret: number;
  readonly hasWebhook: number;
}

const columns = `id, kind, location, settings, described, secret IS NOT NULL AS hasSecret, webhook_secret IS NOT NULL AS hasWebhook,
  state, state_reason AS stateReason, held, generation, run_interval AS "interval", next_run_at AS nextRunAt, next_trigger AS nextTrigger,
  failures, idle_runs AS idleRuns, source_version AS sourceVersion, synced_at AS syncedAt, created_at AS createdAt,
  created_by AS createdBy`;

const toConnector = (row: Row): Connector => ({
  ...row,
  settings: JSON.parse(row.settings) as Connector['settings'],
  hasSecret: row.hasSecret !== 0,
  hasWebhook: row.hasWebhook !== 0,
});

/** Connectors, with those disconnected. */
export class ConnectorTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO connector
       (id, kind, location, settings, described, secret, state, run_interval, next_run_at, created_at, created_by)
     VALUES (?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?)`,
  );
  readonly #byId = this.statement<[string], Row>(`SELECT ${columns} FROM connector WHERE id = ?`);
  readonly #list = this.statement<[string, number], Row>(
    `SELECT ${columns} FROM connector WHERE id > ? AND state <> 'disconnected' ORDER BY id LIMIT ?`,
  );
  readonly #places = this.statement<[string, number], Pick<Connector, 'id' | 'location'>>(
    `SELECT id, location FROM connector WHERE id > ? AND state <> 'disconnected' ORDER BY id LIMIT ?`,
  );
  readonly #due = this.statement<[Record<string, number>], Row>(
    `SELECT ${columns} FROM connector
     WHERE next_run_at <= @now OR next_run_at > @now + max(CASE WHEN failures > 0 THEN @pause ELSE @run END, @stretch * run_interval)
     ORDER BY next_run_at LIMIT @limit`,
  );
  readonly #nextRun = this.valueStatement<[number], number | null>(
    'SELECT min(next_run_at) AS next FROM connector WHERE next_run_at > ?',
  );
  readonly #count = this.valueStatement<[], number>(
    `SELECT count(*) AS count FROM connector WHERE state <> 'disconnected'`,
  );
  readonly #tally = this.statement<[], ConnectorTally>(
    `SELECT state, count(*) AS connectors, total(failures > 0) AS failing, min(coalesce(synced_at, created_at)) AS freshUntil
     FROM connector WHERE state <> 'disconnected' GROUP BY state`,
  );
  readonly #secrets = this.statement<[string], ConnectorSecrets>(
    'SELECT secret, webhook_secret AS webhookSecret FROM connector WHERE id = ?',
  );
  readonly #cursor = this.valueStatement<[string], string | null>('SELECT cursor FROM connector WHERE id = ?');
  readonly #memory = this.valueStatement<[string], string | null>('SELECT memory FROM connector WHERE id = ?');
  readonly #setMemory = this.statement('UPDATE connector SET memory = ? WHERE id = ? AND generation = ?');
  readonly #approved = this.valueStatement<[string], string | null>('SELECT approved FROM connector WHERE id = ?');
  readonly #hasStaleEntries = this.valueStatement<[string], number>(
    'SELECT stale_entries AS stale FROM connector WHERE id = ?',
  );
  readonly #distrustAll = this.statement(
    `UPDATE connector SET cursor = NULL, stale_entries = 1, generation = generation + 1,
       next_run_at = CASE WHEN state = 'active' THEN ? ELSE next_run_at END WHERE state <> 'disconnected'`,
  );
  readonly #setHeld = this.statement('UPDATE connector SET held = ? WHERE id = ?');
  readonly #setState = this.statement('UPDATE connector SET state = ?, state_reason = ? WHERE id = ?');
  readonly #setNextRun = this.statement('UPDATE connector SET next_run_at = ?, next_trigger = ? WHERE id = ?');
  readonly #setInterval = this.statement('UPDATE connector SET run_interval = ? WHERE id = ?');
  readonly #setSettings = this.statement(
    'UPDATE connector SET settings = ?, described = ?, cursor = NULL, memory = NULL, stale_entries = 1, generation = generation + 1 WHERE id = ?',
  );
  readonly #setSecret = this.statement('UPDATE connector SET secret = ?, generation = generation + 1 WHERE id = ?');
  readonly #setWebhookSecret = this.statement('UPDATE connector SET webhook_secret = ? WHERE id = ?');
  readonly #disconnect = this.statement(
    `UPDATE connector SET state = 'disconnected', state_reason = NULL, settings = '{}', described = '', source_version = NULL, secret = NULL, webhook_secret = NULL, cursor = NULL, memory = NULL,
       held = NULL, approved = NULL, next_run_at = NULL, generation = generation + 1 WHERE id = ?`,
  );
  readonly #setApproved = this.statement('UPDATE connector SET approved = ? WHERE id = ?');
  readonly #setDeletedUntil = this.statement('UPDATE connector SET deleted_until = ? WHERE id = ?');
  readonly #setFailures = this.statement('UPDATE connector SET failures = ?, idle_runs = ? WHERE id = ?');
  readonly #setSynced = this.statement(
    `UPDATE connector SET cursor = ?, source_version = ?, synced_at = coalesce(?, synced_at), stale_entries = 0
     WHERE id = ?`,
  );

  insert(connector: NewConnector): void {
    const { id, kind, location, settings, described = '', secret, interval, createdAt, createdBy } = connector;
    const text = JSON.stringify(settings);
    this.#insert.run(id, kind, location, text, described, secret, interval, createdAt, createdAt, createdBy);
  }

  byId(id: string): Connector | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : toConnector(row);
  }

  /** Those not disconnected, by id, after `after` ('' for all). */
  list(after: string, limit: number): Connector[] {
    return this.#list.all(after, limit).map(toConnector);
  }

  /** Where those not disconnected mirror, by id, after `after` ('' for all). */
  places(after: string, limit: number): Pick<Connector, 'id' | 'location'>[] {
    return this.#places.all(after, limit);
  }

  /**
   * Those whose next run is due, the longest due first. A run that lies beyond the longest wait is due, too: the clock
   * was set back since.
   * @param now milliseconds since 1970
   */
  due(now: number, longest: LongestWait, limit: number): Connector[] {
    return this.#due.all({ now, ...longest, limit }).map(toConnector);
  }

  /** When the next run of any after `now` is due; undefined for never. */
  nextRunAfter(now: number): number | undefined {
    return this.#nextRun.get(now) ?? undefined;
  }

  /** Those not disconnected, in numbers by their state. */
  tally(): ConnectorTally[] {
    return this.#tally.all();
  }

  /** The number of those not disconnected. */
  count(): number {
    return this.#count.get() ?? 0;
  }

  secretsOf(id: string): ConnectorSecrets {
    return this.#secrets.get(id) ?? { secret: null, webhookSecret: null };
  }

  /** Where the last listing ended, in the source's own words. */
  cursorOf(id: string): string | null {
    return this.#cursor.get(id) ?? null;
  }

  /** Whether the rows of what the source holds are of earlier settings. */
  hasStaleEntries(id: string): boolean {
    return this.#hasStaleEntries.get(id) === 1;
  }

  /** What its source remembers between runs. */
  memoryOf(id: string): string | null {
    return this.#memory.get(id) ?? null;
  }

  /** @param generation of the run: under other settings nothing is remembered */
  setMemory(id: string, generation: number, text: string): void {
    this.#setMemory.run(text, id, generation);
  }

  /** Sets the fingerprint of the change that waits for approval. */
  setHeld(id: string, fingerprint: string | null): void {
    this.#setHeld.run(fingerprint, id);
  }

  /** The fingerprint of the held change that an approver approved. */
  approvedOf(id: string): string | null {
    return this.#approved.get(id) ?? null;
  }

  setState(id: string, state: ConnectorState, reason: string | null): void {
    this.#setState.run(state, reason, id);
  }

  /** The rows of all mirrors are not to be believed: the next run of each reads everything, and is due. */
  distrustAll(now: number): void {
    this.#distrustAll.run(now);
  }

  setNextRun(id: string, { at, trigger }: NextRun): void {
    this.#setNextRun.run(at, trigger, id);
  }

  setInterval(id: string, interval: number): void {
    this.#setInterval.run(interval, id);
  }

  /** Other settings may name another source, so the next run lists everything, and believes nothing of the earlier one. */
  setSettings(id: string, settings: Connector['settings'], described: string): void {
    this.#setSettings.run(JSON.stringify(settings), described, id);
  }

  /** @param secret sealed */
  setSecret(id: string, secret: Uint8Array | null): void {
    this.#setSecret.run(secret, id);
  }

  /** @param secret sealed */
  setWebhookSecret(id: string, secret: Uint8Array | null): void {
    this.#setWebhookSecret.run(secret, id);
  }

  setApproved(id: string, fingerprint: string | null): void {
    this.#setApproved.run(fingerprint, id);
  }

  /** What its runs up to this one deleted counts no more. */
  setDeletedUntil(id: string, run: number): void {
    this.#setDeletedUntil.run(run, id);
  }

  /** Ends it for good, with its settings and secrets. */
  disconnect(id: string): void {
    this.#disconnect.run(id);
  }

  /** Counts of the last runs, one of which is 0. */
  setFailures(id: string, failures: number, idleRuns: number): void {
    this.#setFailures.run(failures, idleRuns, id);
  }

  /** @param state `at`: when the mirror was up to date, in milliseconds since 1970; null where it is not */
  setSynced(id: string, state: { cursor: string | null; sourceVersion: string | null; at: number | null }): void {
    this.#setSynced.run(state.cursor, state.sourceVersion, state.at, id);
  }
}
