import type { Reader } from '../domain/reader.js';
import { toAuthorRecord } from './author-record.js';

export type ReaderRecord = ReturnType<typeof toReaderRecord>;

/** The description's `Reader`: who reads a place, and by which grants. */
export function toReaderRecord({ principal, role, via }: Reader) {
  return {
    principal: toAuthorRecord(principal),
    role,
    via: via.map((way) => ({
      role: way.role,
      scope_type: way.scopeType,
      scope_id: way.location,
      groups: way.groups.map(({ id, displayName }) => ({ id, display_name: displayName })),
    })),
  };
}
