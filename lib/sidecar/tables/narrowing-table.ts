import { Table } from '../statement.js';

/**
 * The newest events, besides grants, that can take a document out of somebody's reach. Values change when one more
 * happened; they mean nothing else, and a rebuild or an erase renumbers them.
 */
export interface NewestNarrowings {
  readonly relocation: number;
  readonly deletion: number;
  readonly erasure: number;
}

/** What can take documents out of a reach besides grants. */
export class NarrowingTable extends Table {
  // Each by the end of an index: the time does not depend on how much there is.
  readonly #newest = this.statement<[], NewestNarrowings>(
    `SELECT
       coalesce((SELECT moment FROM relocation ORDER BY number DESC LIMIT 1), 0) AS relocation,
       coalesce((SELECT max(deleted_moment) FROM document WHERE deleted_location IS NOT NULL), 0) AS deletion,
       coalesce((SELECT max(number) FROM erasure), 0) AS erasure`,
  );

  newest(): NewestNarrowings {
    return this.#newest.get() ?? { relocation: 0, deletion: 0, erasure: 0 };
  }
}
