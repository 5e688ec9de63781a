import type { WriteTransaction } from '../journal/write-transaction.js';
import type { Tables } from '../sidecar/tables.js';

/** A key in the sidecar's `meta`. It has a value while no stored index can be trusted, and another one each time. */
export const invalidatedIndex = 'distrusted_index';

/** @returns '' where a stored index can be trusted */
export function readInvalidation({ meta }: Tables): string {
  return meta.get(invalidatedIndex) ?? '';
}

/**
 * Marks every stored index as outdated, because the rows of documents were made again. A stored index of the same
 * commit can hold other document numbers. The index is built again now, or at the next start if the process ends first.
 */
export function invalidateIndex(transaction: WriteTransaction, search: { distrust(): void }): void {
  transaction.tables.meta.set(invalidatedIndex, transaction.state.chain.hash);
  transaction.whenDurable(() => search.distrust());
}
