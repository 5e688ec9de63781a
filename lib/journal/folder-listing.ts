import type { Document } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { busy } from '../domain/refusal.js';
import { Rests } from '../scheduling/rests.js';
import { Spool } from '../sidecar/spool.js';
import type { Snapshot } from '../sidecar/sidecar.js';
import type { SnapshotHolder, Snapshots } from './snapshots.js';
import { View } from '../view/view.js';
import type { Journal } from './journal.js';

/** A listing's data on a document. */
export type ListedDocument = Pick<Document, 'id' | 'number' | 'location' | 'name' | 'current'>;

/**
 * Every document of a folder in a view, in location order, as of one moment, for any length of the listing. It is read
 * from a snapshot on demand. A slow listing is first taken out of the snapshot, since nothing can be removed from the
 * workspace's files while a snapshot shows it.
 */
export class FolderListing implements SnapshotHolder {
  readonly location: Location;
  readonly #onClosed: (listing: FolderListing) => void;
  #snapshot: Snapshot | undefined;
  readonly #walk: Generator<Document>;
  #spool: Spool<ListedDocument> | undefined;
  #taking: Promise<void> | undefined;
  #isBrokenOff = false;

  constructor(snapshot: Snapshot, view: View, location: Location, onClosed: (listing: FolderListing) => void) {
    this.location = location;
    this.#onClosed = onClosed;
    this.#snapshot = snapshot;
    this.#walk = view.walk(location);
  }

  /** The next document; undefined after the last. @throws Refusal UNAVAILABLE when it was broken off */
  async next(): Promise<ListedDocument | undefined> {
    await this.#taking;
    if (this.#isBrokenOff) throw busy();
    if (this.#spool !== undefined) return this.#spool.take();
    if (this.#snapshot === undefined) return undefined;
    const step = this.#walk.next();
    return step.done === true ? undefined : step.value;
  }

  letGo(): Promise<void> {
    return (this.#taking ??= this.#takeRest());
  }

  breakOff(): void {
    this.#isBrokenOff = true;
    this.close();
  }

  /** Frees its resources. May be called twice. */
  close(): void {
    this.#snapshot?.close();
    this.#snapshot = undefined;
    this.#spool?.close();
    this.#spool = undefined;
    this.#onClosed(this);
  }

  async #takeRest(): Promise<void> {
    if (this.#snapshot === undefined) return;
    const spool = new Spool<ListedDocument>();
    this.#spool = spool;
    try {
      const rests = new Rests();
      while (this.#snapshot !== undefined) {
        const step = this.#walk.next();
        if (step.done === true) break;
        const { id, number, location, name, current } = step.value;
        spool.add({ id, number, location, name, current });
        if (rests.isDue) await rests.take();
      }
    } catch {
      // The listing's reader gets the fault.
      this.#isBrokenOff = true;
    }
    this.#snapshot?.close();
    this.#snapshot = undefined;
  }
}

/**
 * Lists the present contents of a folder within the caller's reach.
 * @throws Refusal UNAVAILABLE when an erase keeps snapshots out for long
 */
export function listFolder(
  { journal, snapshots }: { readonly journal: Journal; readonly snapshots: Snapshots },
  viewNow: () => View,
  location: Location,
): Promise<FolderListing> {
  return snapshots.hold(() => {
    const { reach, now } = viewNow();
    const snapshot = journal.sidecar.openSnapshot();
    const view = new View(snapshot.tables, reach, now);
    return new FolderListing(snapshot, view, location, (listing) => snapshots.forget(listing));
  });
}
