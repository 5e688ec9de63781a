import type { Location } from '../../domain/location.js';
import type { Webhook, WebhookDelivery, WebhookKind, WebhookStop } from '../../domain/webhook.js';
import { Table } from '../statement.js';

/** A new webhook's row. */
export interface NewWebhook extends Pick<
  Webhook,
  'id' | 'name' | 'owner' | 'url' | 'kinds' | 'position' | 'createdAt'
> {
  readonly location: Location;
  /** Sealed. */
  readonly secret: Uint8Array;
}

/** The sealed secrets of a webhook. */
export interface WebhookSecrets {
  readonly secret: Uint8Array;
  /** Signs, too, until `formerUntil`; null for none. */
  readonly former: Uint8Array | null;
  readonly formerUntil: number | null;
}

/** Webhooks in numbers: those that send, those disabled by hand, those that stopped by themselves. */
export interface WebhookTally {
  readonly enabled: number;
  readonly disabled: number;
  readonly stopped: number;
  /** Of those that send, those whose last attempt failed. */
  readonly failing: number;
}

interface PlaceQuery {
  readonly place: Location;
  readonly after: string;
  readonly limit: number;
}

interface Row extends Omit<Webhook, 'kinds'> {
  readonly kinds: string | null;
}

/** Attempts of each webhook that are stored. */
export const keptDeliveries = 200;

const columns = `id, name, owner, location, url, kinds, stopped, position, failures, next_attempt_at AS nextAttemptAt,
  former_until AS rotatingUntil, created_at AS createdAt, generation`;

const toWebhook = (row: Row): Webhook => ({
  ...row,
  kinds: row.kinds === null ? null : (JSON.parse(row.kinds) as WebhookKind[]),
});

/** Webhooks with their last deliveries. */
export class WebhookTable extends Table {
  readonly #insert = this.statement(
    `INSERT INTO webhook (id, name, owner, location, url, kinds, secret, position, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  readonly #byId = this.statement<[string], Row>(`SELECT ${columns} FROM webhook WHERE id = ?`);
  readonly #all = this.valueStatement<[string, number], string>(
    'SELECT id FROM webhook WHERE id > ? ORDER BY id LIMIT ?',
  );
  // The plus sign keeps SQLite from going through all ids: what lies elsewhere costs nothing.
  readonly #below = this.valueStatement<[PlaceQuery], string>(
    `SELECT id FROM webhook WHERE location = @place AND +id > @after
     UNION ALL SELECT id FROM webhook WHERE location > @place || '/' AND location < @place || '0' AND +id > @after
     ORDER BY 1 LIMIT @limit`,
  );
  readonly #enabled = this.valueStatement<[], string>('SELECT id FROM webhook WHERE stopped IS NULL ORDER BY id');
  readonly #carry = this.statement<[{ readonly from: string; readonly to: string }]>(
    `UPDATE webhook SET location = @to || substr(location, length(@from) + 1)
     WHERE location = @from OR (location > @from || '/' AND location < @from || '0')`,
  );
  readonly #troubled = this.statement<[], Row>(
    `SELECT ${columns} FROM webhook WHERE stopped IS NOT NULL AND stopped <> 'by_hand' ORDER BY id`,
  );
  readonly #tally = this.statement<[], WebhookTally>(
    `SELECT total(stopped IS NULL) AS enabled, total(stopped = 'by_hand') AS disabled, total(stopped <> 'by_hand') AS stopped,
       total(stopped IS NULL AND failures > 0) AS failing FROM webhook`,
  );
  readonly #countOf = this.valueStatement<[string], number>('SELECT count(*) AS count FROM webhook WHERE owner = ?');
  readonly #madeBy = this.statement<[string, number, number], Row>(
    `SELECT ${columns} FROM webhook WHERE owner = ? AND created_at >= ? ORDER BY created_at DESC, id DESC LIMIT ?`,
  );
  readonly #secrets = this.statement<[string], WebhookSecrets>(
    'SELECT secret, former_secret AS former, former_until AS formerUntil FROM webhook WHERE id = ?',
  );
  readonly #rename = this.statement('UPDATE webhook SET name = ? WHERE id = ?');
  readonly #setUrl = this.statement(
    `UPDATE webhook SET url = ?, failures = 0, next_attempt_at = NULL, generation = generation + 1 WHERE id = ?`,
  );
  readonly #setKinds = this.statement(
    'UPDATE webhook SET kinds = ?, position = ?, generation = generation + 1 WHERE id = ?',
  );
  readonly #stop = this.statement(
    `UPDATE webhook SET stopped = ?, next_attempt_at = NULL, generation = generation + 1 WHERE id = ?`,
  );
  readonly #enable = this.statement(
    `UPDATE webhook SET stopped = NULL, failures = 0, next_attempt_at = NULL, generation = generation + 1 WHERE id = ?`,
  );
  readonly #rotate = this.statement(
    `UPDATE webhook SET former_secret = secret, former_until = ?, secret = ? WHERE id = ?`,
  );
  readonly #replaceSecret = this.statement(
    `UPDATE webhook SET former_secret = NULL, former_until = NULL, secret = ? WHERE id = ?`,
  );
  readonly #setPosition = this.statement('UPDATE webhook SET position = ? WHERE id = ?');
  readonly #rewind = this.statement(
    `UPDATE webhook SET position = ?, failures = 0, next_attempt_at = NULL, generation = generation + 1 WHERE id = ?`,
  );
  readonly #setFailures = this.statement('UPDATE webhook SET failures = ?, next_attempt_at = ? WHERE id = ?');
  readonly #forgetDeliveries = this.statement('DELETE FROM webhook_delivery WHERE webhook = ?');
  readonly #remove = this.statement('DELETE FROM webhook WHERE id = ?');
  readonly #addDelivery = this.valueStatement<unknown[], number>(
    `INSERT INTO webhook_delivery (webhook, number, message_id, type, at, duration, outcome, status, answer, before)
     SELECT @webhook, coalesce(max(number), 0) + 1, @messageId, @type, @at, @duration, @outcome, @status, @answer, @before
     FROM webhook_delivery WHERE webhook = @webhook RETURNING number`,
  );
  readonly #dropOldest = this.statement('DELETE FROM webhook_delivery WHERE webhook = ? AND number <= ?');
  readonly #sweep = this.statement(
    `DELETE FROM webhook_delivery WHERE (webhook, number) IN
       (SELECT webhook, number FROM webhook_delivery WHERE at < ? LIMIT ?)`,
  );
  readonly #deliveries = this.statement<[string, number, number], WebhookDelivery>(
    `SELECT number, message_id AS messageId, type, at, duration, outcome, status, answer
     FROM webhook_delivery WHERE webhook = ? AND number < ? ORDER BY number DESC LIMIT ?`,
  );
  readonly #forgetPositions = this.statement("UPDATE webhook_delivery SET before = ''");
  readonly #before = this.valueStatement<[string, number], string>(
    "SELECT before FROM webhook_delivery WHERE webhook = ? AND number = ? AND before <> ''",
  );
  readonly #forgetAnswers = this.statement(
    `UPDATE webhook_delivery SET answer = NULL WHERE (webhook, number) IN
       (SELECT webhook, number FROM webhook_delivery WHERE answer IS NOT NULL LIMIT ?)`,
  );

  insert(webhook: NewWebhook): void {
    const { id, name, owner, location, url, kinds, secret, position, createdAt } = webhook;
    this.#insert.run(id, name, owner, location, url, toText(kinds), secret, position, createdAt);
  }

  byId(id: string): Webhook | undefined {
    const row = this.#byId.get(id);
    return row === undefined ? undefined : toWebhook(row);
  }

  /** Ids of those of a folder and of all below, in order. @param after '' for the first */
  idsBelow(place: Location, after: string, limit: number): string[] {
    return place === '' ? this.#all.all(after, limit) : this.#below.all({ place, after, limit });
  }

  /** Ids of those that send. */
  enabled(): string[] {
    return this.#enabled.all();
  }

  /** Takes those of a folder, and of all below, along to where it goes. What is under way stays valid. */
  carry(from: Location, to: Location): void {
    this.#carry.run({ from, to });
  }

  /** All, in numbers. */
  tally(): WebhookTally {
    return this.#tally.get() ?? { enabled: 0, disabled: 0, stopped: 0, failing: 0 };
  }

  /** Those that stopped by themselves. */
  troubled(): Webhook[] {
    return this.#troubled.all().map(toWebhook);
  }

  countOf(owner: string): number {
    return this.#countOf.get(owner) ?? 0;
  }

  /** An owner's webhooks made since a moment, the newest first, at most so many. */
  madeBy(owner: string, since: number, most: number): Webhook[] {
    return this.#madeBy.all(owner, since, most).map(toWebhook);
  }

  secretsOf(id: string): WebhookSecrets | undefined {
    return this.#secrets.get(id);
  }

  rename(id: string, name: string): void {
    this.#rename.run(name, id);
  }

  setUrl(id: string, url: string): void {
    this.#setUrl.run(url, id);
  }

  /** @param position from which the new kinds are sent */
  setKinds(id: string, kinds: Webhook['kinds'], position: string): void {
    this.#setKinds.run(toText(kinds), position, id);
  }

  stop(id: string, why: WebhookStop): void {
    this.#stop.run(why, id);
  }

  enable(id: string): void {
    this.#enable.run(id);
  }

  /** @param until when the present secret signs no more; null for at once */
  rotate(id: string, secret: Uint8Array, until: number | null): void {
    if (until === null) this.#replaceSecret.run(secret, id);
    else this.#rotate.run(until, secret, id);
  }

  /** Goes on from there, whatever comes in between. */
  setPosition(id: string, position: string): void {
    this.#setPosition.run(position, id);
  }

  /** Tells again what came after a position. */
  rewind(id: string, position: string): void {
    this.#rewind.run(position, id);
  }

  setFailures(id: string, failures: number, nextAttemptAt: number | null): void {
    this.#setFailures.run(failures, nextAttemptAt, id);
  }

  remove(id: string): void {
    this.#forgetDeliveries.run(id);
    this.#remove.run(id);
  }

  /** Notes an attempt, and forgets the oldest. @param before the position just before its message */
  addDelivery(webhook: string, delivery: Omit<WebhookDelivery, 'number'>, before: string): void {
    const number = this.#addDelivery.get({ webhook, before, ...delivery }) ?? 0;
    this.#dropOldest.run(webhook, number - keptDeliveries);
  }

  /** The newest first. @param below a delivery's number; Number.MAX_SAFE_INTEGER for all */
  deliveries(webhook: string, below: number, limit: number): WebhookDelivery[] {
    return this.#deliveries.all(webhook, below, limit);
  }

  /** The position just before the message of an attempt. */
  positionBefore(webhook: string, number: number): string | undefined {
    return this.#before.get(webhook, number);
  }

  /** No delivery that there was until now can be repeated: the positions are of another file. */
  forgetPositions(): void {
    this.#forgetPositions.run();
  }

  /** Takes away attempts from before a time. @returns how many */
  sweep(before: number, most: number): number {
    return this.#sweep.run(before, most).changes;
  }

  /** Takes away what receivers said: they can have repeated a name that is erased. @returns how many answers */
  forgetAnswers(most: number): number {
    return this.#forgetAnswers.run(most).changes;
  }
}

const toText = (kinds: Webhook['kinds']): string | null => (kinds === null ? null : JSON.stringify(kinds));
