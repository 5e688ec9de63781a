import type { Refusal } from '../domain/refusal.js';
import { MissingObject, type Oid } from '../git/objects/objects.js';
import type { Steps } from '../scheduling/in-steps.js';
import { MissingTrees, type WorkspaceState, type WriteTransaction } from './write-transaction.js';

/** The part of undone work that stays, such as the record of its refusal. */
interface Refusable {
  refused?(transaction: WriteTransaction, refusal: Refusal): void;
}

/** Work of one write. */
export interface Write<Result> extends Refusable {
  /** It adds audit records and nothing else: the remembered content of the workspace stays true. */
  readonly isRecordOnly?: true;
  run(transaction: WriteTransaction): Result;
}

/** Work of one write that may take long. It has a group of its own, and others read between its steps. */
export interface WriteInSteps<Result> extends Refusable {
  steps(transaction: WriteTransaction): Steps<Result>;
}

/** A write that is asked for and not answered. */
export interface WaitingWrite {
  readonly work: (Write<unknown> & { readonly steps?: undefined }) | WriteInSteps<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When it was asked for, by the steady clock. */
  readonly since: number;
  /** Trees fetched for it; held in memory until it is done, so each attempt gets further. */
  readonly fetched: Set<Oid>;
  outcome: { readonly result: unknown } | { readonly error: unknown } | undefined;
}

/** The state to restore when a write is undone. */
export interface WriteStart {
  readonly state: WorkspaceState;
  readonly actions: number;
}

/** How many writes wait, and the milliseconds for which the first of them has waited. */
export interface Waiting {
  readonly writes: number;
  readonly milliseconds: number;
}

/** @param entries in their order @param elapsed the steady clock now */
export function measureWaiting(entries: readonly WaitingWrite[], elapsed: number): Waiting {
  const [first] = entries;
  return { writes: entries.length, milliseconds: first === undefined ? 0 : Math.max(0, elapsed - first.since) };
}

/** The trees that stopped the work. A tree that is still missing after a fetch will never be there. */
export function missingFor(entry: WaitingWrite, error: unknown): readonly Oid[] {
  const oids = error instanceof MissingTrees ? error.oids : error instanceof MissingObject ? [error.oid] : [];
  return oids.some((oid) => entry.fetched.has(oid)) ? [] : oids;
}
