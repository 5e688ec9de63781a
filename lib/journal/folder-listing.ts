import type { Document } from '../domain/document.js';
import type { Location } from '../domain/location.js';
import { busy } from '../domain/refusal.js';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { Spool } from '../sidecar/spool.js';
import type { Snapshot } from '../sidecar/sidecar.js';
import type { SnapshotHolder, Snapshots } from './snapshots.js';
import { View } from '../view/view.js';
import type { Journal } from './journal.js';

/** What is told of a document in a listing. */
export type ListedDocument = Pick<Document, 'id' | 'number' | 'location' | 'name' | 'current'>;

/** Documents that are taken out of the snapshot before the event loop takes what has come in. */
const takenAtOnce = 100;

/**
 * Every document in a folder that a view shows, in location order, as they were at one moment, however long the listing
 * takes. It is read from a snapshot as it is asked for. A listing that takes long is taken out of the snapshot first,
 * since nothing can be removed from the workspace's files while a snapshot shows it.
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

  /** Gives free what it holds. May be called twice. */
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
      for (let taken = 1; this.#snapshot !== undefined; taken += 1) {
        const step = this.#walk.next();
        if (step.done === true) break;
        const { id, number, location, name, current } = step.value;
        spool.add({ id, number, location, name, current });
        if (taken % takenAtOnce === 0) await yieldToLoop();
      }
    } catch {
      // What cannot be read any more is told to the reader of the listing.
      this.#isBrokenOff = true;
    }
    this.#snapshot?.close();
    this.#snapshot = undefined;
  }
}

/**
 * Lists what the workspace's caller reaches in a folder, as it is now.
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
