import { describeOriginalAuthor } from '../lib/domain/original-author.js';
import type { HistoryRecord } from '../lib/records/history-record.js';

/** A place that is not told. */
const unknown = '(elsewhere)';

function rowOf(entry: HistoryRecord): Readonly<Record<string, string | null>> {
  const shared = { at: entry.at, by: entry.principal.display_name };
  switch (entry.type) {
    case 'version': {
      const { id, message } = entry.version;
      return { ...shared, what: entry.operation, where: entry.location ?? unknown, version: id, message };
    }
    case 'relocation': {
      const where = `${entry.from ?? unknown} > ${entry.to ?? unknown}`;
      return { ...shared, what: `${entry.operation} of the ${entry.of}`, where, version: null, message: null };
    }
    case 'deletion': {
      const what = `deletion of the ${entry.of}`;
      return { ...shared, what, where: entry.location ?? unknown, version: null, message: null };
    }
  }
}

const originalOf = (entry: HistoryRecord) =>
  entry.type === 'version' ? (entry.version.original_author ?? null) : null;

/** The entries of a history for people: one line each, with the authors of the source where something was imported. */
export function toHistoryRows(items: readonly unknown[]): readonly Readonly<Record<string, string | null>>[] {
  const entries = items as readonly HistoryRecord[];
  const isImported = entries.some((entry) => originalOf(entry) !== null);
  return entries.map((entry) => {
    const original = originalOf(entry);
    return {
      ...rowOf(entry),
      ...(isImported && {
        original_author: original === null ? null : describeOriginalAuthor(original),
        original_at: original?.at ?? null,
      }),
    };
  });
}
