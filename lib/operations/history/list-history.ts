import type { HistoryEntry } from '../../domain/history-entry.js';
import { byteLength, maxLocationLength, type Location } from '../../domain/location.js';
import type { Page } from '../../domain/page.js';
import { invalidRequest, notFound } from '../../domain/refusal.js';
import { walkHistory, type HistoryPosition } from '../../history/walk-history.js';
import type { ReadOperation } from '../operation.js';

export interface ListHistoryInput {
  readonly location: Location;
  /** The end position of the page before; '' for the first page. */
  readonly after: string;
  readonly limit: number;
}

const digits = 16;

/**
 * Writes all positions with the same length. A sealed cursor shows its length, and the caller may not reach a
 * document's former place. No location ends in a slash, so slashes fill it up.
 */
function encodePosition(documentId: string, { moment, sequence, location, isVersion }: HistoryPosition): string {
  const numbers = [moment, sequence].map((each) => String(each).padStart(digits, '0')).join('');
  const filler = '/'.repeat(maxLocationLength - byteLength(location));
  return `${numbers}${isVersion ? 'v' : 'e'}${documentId} ${location}${filler}`;
}

/** @throws Refusal INVALID_REQUEST `bad_cursor` when another document lives at the location by now */
function decodePosition(documentId: string, text: string): HistoryPosition | undefined {
  if (text === '') return undefined;
  const parts = /^(\d{16})(\d{16})([ve])(\S+) (.*)$/s.exec(text);
  if (parts?.[4] !== documentId) {
    throw invalidRequest('bad_cursor', 'The cursor is not one for this document. Start again without it.', {
      field: 'cursor',
    });
  }
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  const location = text.slice(text.indexOf(' ') + 1, end) as Location;
  return { moment: Number(parts[1]), sequence: Number(parts[2]), location, isVersion: parts[3] === 'v' };
}

/**
 * All events of a live document, the newest first: versions, renames, moves, and undone deletions. Renames and moves
 * include those of folders above it. A page costs the same for a history of any length. Reader.
 */
export const listHistory: ReadOperation<ListHistoryInput, Page<HistoryEntry>> = {
  kind: 'read',
  name: 'document.history',
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run({ view }, { location, after, limit }) {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const items: HistoryEntry[] = [];
    let position = decodePosition(document.id, after);
    for (const step of walkHistory(view, document, position, limit + 1)) {
      if (items.length === limit)
        return { items, next: position === undefined ? null : encodePosition(document.id, position) };
      items.push(step.entry);
      position = step.position;
    }
    return { items, next: null };
  },
};
