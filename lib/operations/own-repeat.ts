import type { Version } from '../domain/document.js';
import type { Tables } from '../sidecar/tables.js';

/** The intended version of a write: its parent and its bytes. */
export interface IntendedVersion {
  /** The parent version. Null for a new document. */
  readonly parent: string | null;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
}

/**
 * Whether the current version is the intended one, by the same principal on the same parent. Then the request was sent
 * twice, and the first one's outcome is its answer.
 */
export function isOwnRepeat(
  { versions }: Pick<Tables, 'versions'>,
  document: { readonly number: number; readonly current: Version },
  principalId: string,
  { parent, sha256 }: IntendedVersion,
): boolean {
  const { current } = document;
  if (current.author.id !== principalId || current.sha256 !== sha256) return false;
  if (current.sequence === 1) return parent === null;
  return versions.bySequence(document.number, current.sequence - 1)?.id === parent;
}
