import type { Erasure } from '../../domain/erasure.js';
import { makePage, type Page } from '../../domain/page.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

export interface ListErasuresInput {
  /** Number of the last one on the page before. Left out for the first page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/**
 * The receipts of all erases, the newest first. Admin: they name principals and amounts, but never the erased content.
 */
export const listErasures: ReadOperation<ListErasuresInput, Page<Erasure & { readonly number: number }>> = {
  kind: 'read',
  name: 'erasure.list',
  needs: () => adminNeeds,
  note: () => ({}),
  run({ view }, { before = Number.MAX_SAFE_INTEGER, limit }) {
    return makePage(view.tables.erasures.list(before, limit + 1), limit, ({ number }) => String(number));
  },
};
