import { formatTime } from '../domain/clock.js';
import type { HistoryEntry } from '../domain/history-entry.js';
import { toAuthorRecord } from './author-record.js';
import { toVersionRecord } from './document-record.js';

export type HistoryRecord = ReturnType<typeof toHistoryRecord>;

/** The description's `HistoryEntry`. */
export function toHistoryRecord(entry: HistoryEntry) {
  const when = { at: formatTime(entry.at), principal: toAuthorRecord(entry.author) };
  switch (entry.type) {
    case 'version': {
      const { type, operation, location, version } = entry;
      const { kind, mediaType, size } = version;
      return {
        type,
        operation,
        ...when,
        location,
        version: toVersionRecord(version),
        kind,
        media_type: mediaType,
        size,
      };
    }
    case 'relocation': {
      const { type, operation, of, from, to } = entry;
      return { type, operation, of, ...when, from, to };
    }
    case 'deletion': {
      const { type, of, location } = entry;
      return { type, operation: 'delete' as const, of, ...when, location };
    }
  }
}
