import type { Change } from '../domain/change.js';
import { formatTime } from '../domain/clock.js';
import { formatEtag } from '../domain/etag.js';
import { toAuthorRecord } from './author-record.js';

export type ChangeRecord = ReturnType<typeof toChangeRecord>;

/** The description's `Change`: an item of the feed. */
export function toChangeRecord({ id, at, kind, document, version, actor, message }: Change) {
  return {
    id,
    at: formatTime(at),
    kind,
    document: {
      id: document.id,
      location: document.location,
      etag: document.etag === null ? null : formatEtag(document.etag),
    },
    version,
    actor: actor === null ? null : toAuthorRecord(actor),
    message,
  };
}
