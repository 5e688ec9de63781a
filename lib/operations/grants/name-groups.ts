import type { Caller } from '../../domain/caller.js';
import type { ShownGroup } from '../../domain/reader.js';
import type { Tables } from '../../sidecar/tables.js';

const hidden: ShownGroup = { id: null, displayName: null };

/** Shows names of groups only to their members, at any depth, and to approvers. */
export class GroupNames {
  readonly #tables: Tables;
  readonly #isApprover: boolean;
  readonly #own: ReadonlySet<string>;

  /** @param isApprover whether the caller may know every group concerned with the place */
  constructor(tables: Tables, { principalId }: Caller, isApprover: boolean) {
    this.#tables = tables;
    this.#isApprover = isApprover;
    this.#own = new Set(tables.groups.groupsAbove({ type: 'principal', id: principalId }));
  }

  /** @returns without id and name where the caller may not know them */
  show(groupId: string): ShownGroup {
    if (!this.#isApprover && !this.#own.has(groupId)) return hidden;
    return { id: groupId, displayName: this.#tables.groups.find(groupId)?.displayName ?? null };
  }
}
