import type { People } from '../access/people.js';
import type { AuditEvent } from '../domain/audit-record.js';
import type { Clock, Randomness } from '../domain/clock.js';
import { unavailable, type Refusal } from '../domain/refusal.js';
import { isFaultOfTheFile, refuseFault } from '../sidecar/fault.js';
import type { ServiceFile } from '../sidecar/service-file.js';
import type { Tables } from '../sidecar/tables.js';
import type { EntryName } from '../sidecar/tables/pending-record-table.js';
import type { AuditedWorkspace } from './deferred-audit.js';
import {
  findRecorded,
  noteOlderFile,
  readMark,
  setMark,
  type FindRecordedOptions,
  type Recorded,
} from './find-recorded.js';
import type { WriteTransaction } from './write-transaction.js';

export interface ServiceJournalOptions {
  readonly file: Pick<ServiceFile, 'people' | 'oauth' | 'records'>;
  readonly people: People;
  /** By it earlier versions distinguished the numbers of this service's file from those of another one. */
  readonly epoch: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** @throws Refusal UNAVAILABLE when it is there and could not be opened */
  find(workspace: string): AuditedWorkspace | undefined;
  /** Called when a record could not be added to a chain; it is tried again. */
  readonly onFault: (what: string, cause: unknown) => void;
  /** Why nothing may be changed any more; undefined while all is well. */
  readonly refusal: () => Refusal | undefined;
}

export interface RecordOptions {
  /** The change is answered even if this record has to wait for its workspace. */
  readonly mayWait?: boolean | undefined;
  /** The entry used for the first time; its use is undone if the record cannot be added. */
  readonly undo?: EntryName | undefined;
}

/** The resources of one change of the service's file. The change is synchronous, and done as a whole or not at all. */
export interface ServiceTransaction {
  readonly people: People;
  readonly oauth: ServiceFile['oauth'];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Writes an audit record for a workspace's chain, with the change. A record for a missing workspace is left out. */
  record(this: void, workspace: string, event: AuditEvent, options?: RecordOptions): void;
  /** An entry was used again: its first use stays, whether or not its record is added. */
  keepUsed(this: void, entry: EntryName): void;
}

/** The records of one change for one chain. */
interface Delivery {
  readonly workspace: string;
  readonly numbers: number[];
  mayWait: boolean;
}

/** A change that is durable in the service's file. Its records still have to be added to the chains. */
export interface ServiceChange<Result> {
  readonly result: Result;
  readonly deliveries: readonly Delivery[];
}

/** The record of a chain that has more than the service's file knows. */
const olderFile: AuditEvent = {
  principal: null,
  credential: null,
  interface: 'command',
  action: 'service.file_older',
  outcome: 'done',
  requestId: null,
};

const makeId = (randomness: Randomness): string => Buffer.from(randomness.bytes(8)).toString('hex');

/** For the log. */
const explainOlderFile = (workspace: string): string =>
  `service.sqlite is older than the workspace ${workspace}: an earlier copy of it was put back. Passwords, sessions, ` +
  'links and consents are those of that copy, and the audit log says so';

/** Milliseconds until a failed addition of a record is tried again. */
const retryInterval = 1000;

/**
 * The one way to change people, sessions, links and consents. They stand in the service's file, and the audit records
 * of their changes in the chains of the workspaces. No transaction spans both files, so it takes two steps:
 *
 * 1. One transaction of the service's file holds the change and its records, as rows of `pending_record`.
 * 2. One transaction of each workspace adds the records to the chain and keeps the id of the last one. A record up to
 *   that one is in the chain already, and is passed over.
 *
 * A change is answered after both. After a fault or a crash, the rest of the second step is done after a moment, or
 * when the workspace is opened. The next change deletes the rows. After a crash before that, the rows are found, and no
 * record is added twice. Where an older copy of the service's file was put back, that is reported and recorded, and no
 * record of a later change is lost.
 */
export class ServiceJournal {
  readonly people: People;
  readonly oauth: ServiceFile['oauth'];
  readonly #options: ServiceJournalOptions;
  readonly #finding: FindRecordedOptions;
  /** The number of the last record known to be in the chain, by workspace, while rows up to it may be left. */
  readonly #delivered = new Map<string, number>();
  /** Records with a waiting request. */
  readonly #awaited = new Set<number>();
  /** Workspaces that may lack records. */
  readonly #unsettled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ServiceJournalOptions) {
    this.#options = options;
    this.people = options.people;
    this.oauth = options.file.oauth;
    const { records } = options.file;
    this.#finding = { records, epoch: options.epoch, openedAt: records.lastNumber() };
  }

  /**
   * Makes a change, durable when it returns. `deliver` has to follow before any answer.
   * @throws errors of the work; Refusal INTERNAL when the file failed, UNAVAILABLE when another machine has taken over
   */
  change<Result>(work: (transaction: ServiceTransaction) => Result): ServiceChange<Result> {
    const refusal = this.#options.refusal();
    if (refusal !== undefined) throw refusal;
    const { file, clock, randomness } = this.#options;
    const deliveries: Delivery[] = [];
    const sweeping = [...this.#delivered];
    let result: Result;
    try {
      result = file.people.within(() => {
        for (const [workspace, number] of sweeping) file.records.removeUpTo(workspace, number);
        return work({
          people: this.people,
          oauth: this.oauth,
          now: clock.now(),
          record: (workspace, event, { mayWait = false, undo } = {}) => {
            if (!this.#isKnown(workspace)) return;
            const known = deliveries.find((each) => each.workspace === workspace);
            const delivery = known ?? { workspace, numbers: [], mayWait: true };
            if (known === undefined) deliveries.push(delivery);
            delivery.numbers.push(file.records.add(makeId(randomness), workspace, event, undo));
            if (!mayWait) delivery.mayWait = false;
          },
          keepUsed: (entry) => file.records.keepUsed(entry),
        });
      });
    } catch (error) {
      throw isFaultOfTheFile(error) ? refuseFault(error) : error;
    }
    for (const [workspace, number] of sweeping) {
      if (this.#delivered.get(workspace) === number) this.#delivered.delete(workspace);
    }
    for (const number of deliveries.flatMap(({ numbers }) => numbers)) this.#awaited.add(number);
    return { result, deliveries };
  }

  /**
   * Adds the change's records to the chains; resolves when they are durable.
   * @throws Refusal UNAVAILABLE, INTERNAL when a record has to wait, and the change's result must not be handed out
   */
  async deliver({ deliveries }: ServiceChange<unknown>): Promise<void> {
    const outcomes = await Promise.allSettled(deliveries.map((each) => this.#deliverOne(each)));
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected' && deliveries[index]?.mayWait !== true) throw outcome.reason;
    }
  }

  /** Whether a workspace may lack records, after a fault. */
  isUnsettled(workspace: string): boolean {
    return this.#unsettled.has(workspace);
  }

  /**
   * Finishes the changes of earlier requests, or of an earlier process, for a workspace.
   * @throws Refusal UNAVAILABLE, INTERNAL
   */
  async settle(name: string): Promise<void> {
    const workspace = this.#options.find(name);
    if (workspace !== undefined) {
      this.#undoUnrecorded(workspace);
      const { isFileOlder } = this.#findRecorded(name, workspace.journal.reader);
      if (isFileOlder || this.#options.file.records.listOf(name).length > 0) await this.#record(workspace);
    }
    this.#unsettled.delete(name);
  }

  /** The same for all existing workspaces. Failures are reported and tried again. */
  async settleAll(names: readonly string[] = this.#options.file.records.workspaces()): Promise<void> {
    for (const name of names) {
      try {
        await this.settle(name);
      } catch (cause) {
        this.#retryLater(name, cause);
      }
    }
  }

  /** Nothing is tried again from here on. The workspaces are still open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.settleAll([...this.#unsettled]);
    const { file, onFault } = this.#options;
    try {
      for (const [workspace, number] of this.#delivered) file.records.removeUpTo(workspace, number);
    } catch (cause) {
      onFault('Records that were added could not be taken off the list of those to add', cause);
    }
  }

  async #deliverOne({ workspace: name, numbers }: Delivery): Promise<void> {
    try {
      const workspace = this.#options.find(name);
      if (workspace === undefined) throw unavailable();
      await this.#record(workspace);
    } catch (cause) {
      for (const number of numbers) this.#awaited.delete(number);
      if (this.#hasRecorded(name, Math.max(...numbers))) return;
      this.#retryLater(name, cause);
      throw cause;
    } finally {
      for (const number of numbers) this.#awaited.delete(number);
    }
  }

  /** Whether a commit is durable in spite of its reported failure. If it is not, its undoable parts are undone. */
  #hasRecorded(name: string, number: number): boolean {
    try {
      const workspace = this.#options.find(name);
      if (workspace === undefined) return false;
      this.#undoUnrecorded(workspace);
      return this.#findRecorded(name, workspace.journal.reader).upTo >= number;
    } catch {
      // The workspace cannot be read now: this is checked again when it is settled.
      return false;
    }
  }

  /** Adds all pending records of the workspace that its chain lacks. */
  async #record(workspace: AuditedWorkspace): Promise<void> {
    const last = await workspace.journal.write({
      isRecordOnly: true,
      run: (transaction) => this.#recordPending(workspace.name, transaction),
    });
    this.#delivered.set(workspace.name, Math.max(last, this.#delivered.get(workspace.name) ?? 0));
  }

  /** @returns the number of the last record in the chain */
  #recordPending(name: string, transaction: WriteTransaction): number {
    const { meta } = transaction.tables;
    const { upTo, isFileOlder } = this.#findRecorded(name, transaction.tables);
    const pending = this.#listPending(name);
    if (isFileOlder) {
      transaction.audit(olderFile);
      noteOlderFile(meta, transaction.now);
      this.#options.onFault(explainOlderFile(name), undefined);
    }
    for (const { event } of pending.filter(({ number }) => number > upTo)) transaction.audit(event);
    const last = pending.at(-1);
    if (isFileOlder || (last !== undefined && last.number > upTo)) {
      setMark(meta, last ?? this.#options.file.records.markOf(name));
    }
    return last?.number ?? upTo;
  }

  /** A fault of the service's file must not pass for one of the workspace's. */
  #listPending(name: string): ReturnType<ServiceFile['records']['listOf']> {
    try {
      return this.#options.file.records.listOf(name);
    } catch (error) {
      throw refuseFault(error);
    }
  }

  #findRecorded(name: string, { meta }: Pick<Tables, 'meta'>): Recorded {
    const mark = readMark(meta);
    try {
      return findRecorded(name, mark, this.#finding);
    } catch (error) {
      // A fault of the service's file must not pass for one of the workspace's.
      throw isFaultOfTheFile(error) ? refuseFault(error) : error;
    }
  }

  /**
   * Undoes first uses whose answer was never sent, together with their records.
   * @throws Error when one of the files cannot be read
   */
  #undoUnrecorded({ name, journal }: AuditedWorkspace): void {
    const { file } = this.#options;
    const pending = file.records
      .listOf(name)
      .filter(({ undo, number }) => undo !== undefined && !this.#awaited.has(number));
    if (pending.length === 0) return;
    const { upTo } = this.#findRecorded(name, journal.reader);
    file.people.within(() => {
      for (const { number, undo } of pending) {
        if (undo === undefined || number <= upTo) continue;
        file.oauth.giveBack(undo.kind, undo.idHash);
        file.records.remove(number);
      }
    });
  }

  #isKnown(name: string): boolean {
    try {
      return this.#options.find(name) !== undefined;
    } catch {
      return true;
    }
  }

  #isOpen(name: string): boolean {
    try {
      return this.#options.find(name) !== undefined;
    } catch {
      return false;
    }
  }

  /** A workspace that could not be opened is settled at its next opening. */
  #retryLater(name: string, cause: unknown): void {
    const { onFault } = this.#options;
    if (!this.#unsettled.has(name)) onFault(`The audit log of ${name} lacks a record; it is added later`, cause);
    this.#unsettled.add(name);
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.settleAll([...this.#unsettled].filter((each) => this.#isOpen(each)));
    }, retryInterval).unref();
  }
}
