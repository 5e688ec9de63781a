import type { Version } from '../domain/document.js';
import type { Tables } from '../sidecar/tables.js';

/** What a write would leave: on which version, and with which bytes. */
export interface IntendedVersion {
  /** The version it was to be written on; null for a new document. */
  readonly parent: string | null;
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
}

/**
 * Whether what a write would leave is there already by the same principal and on the same parent: then it is a request
 * that was sent twice, and the first one's outcome is its answer.
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
