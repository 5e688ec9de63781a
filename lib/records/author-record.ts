import type { Author } from '../domain/principal.js';

/** The description's `Principal`, as shown to every reader of its writing. */
export function toAuthorRecord({ id, kind, displayName }: Author) {
  return { id, kind, display_name: displayName };
}
