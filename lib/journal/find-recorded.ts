import { formatTime } from '../domain/clock.js';
import type { Tables } from '../sidecar/tables.js';
import type { PendingRecordTable, RecordedMark } from '../sidecar/tables/pending-record-table.js';
import type { MetaTable } from '../sidecar/tables/meta-table.js';

/** In a workspace's file: the last record of the service's file that its chain has, as `ID NUMBER`. */
const markName = 'service_records';
/** In a workspace's file: when an older service's file was found beside it. Milliseconds since 1970. */
const noticeName = 'older_service_file';

/** What a workspace's chain has of the records that wait in the service's file. */
export interface Recorded {
  /** Records up to this number are in the chain. */
  readonly upTo: number;
  /** The chain has records that this file does not know: it is older than the workspace. */
  readonly isFileOlder: boolean;
}

export interface FindRecordedOptions {
  readonly records: PendingRecordTable;
  /** What earlier versions wrote in place of an id. */
  readonly epoch: string;
  /** The last number that the file had given out when this process opened it. */
  readonly openedAt: number;
}

/**
 * Compares a workspace's mark with the service's file. Whether a record is in the chain follows from its id: the
 * numbers of a file that was put back from a copy are given out again, for other records.
 */
export function findRecorded(
  name: string,
  { id, number }: RecordedMark,
  { records, epoch, openedAt }: FindRecordedOptions,
): Recorded {
  const known = records.markOf(name);
  const isOfFile = (upTo: number): Recorded => ({ upTo, isFileOlder: false });
  if (id === '') return isOfFile(0);
  if (records.find(name, number)?.id === id) return isOfFile(number);
  // What the mark names was taken off the list, or the workspace was brought here from another service.
  if (known !== undefined && (known.id === '' || (known.id === id && known.number === number))) return isOfFile(0);
  // The workspace is the older one: what still waits was added to its lost state at most.
  if (known !== undefined && number < known.number) return isOfFile(0);
  if (known === undefined && /^[0-9a-f]{64}$/.test(id)) {
    if (id !== epoch) return isOfFile(0);
    if (number <= openedAt) return isOfFile(number);
  }
  // The chain went on without this copy. So it has what waited when the copy was made, and nothing newer.
  return { upTo: openedAt, isFileOlder: true };
}

/** The last record that a chain has, as its workspace notes it; an empty id for none. */
export function readMark(meta: Pick<MetaTable, 'get'>): RecordedMark {
  const [id = '', number = '0'] = (meta.get(markName) ?? '').split(' ');
  return { id, number: Number(number) };
}

/** Notes which record of the service's file a chain has now. */
export function setMark(meta: MetaTable, last: RecordedMark | undefined): void {
  meta.set(markName, last === undefined ? '' : `${last.id} ${last.number}`);
}

export function noteOlderFile(meta: MetaTable, now: number): void {
  meta.set(noticeName, String(now));
}

/** When the service's file beside a workspace was found to be an older copy. Milliseconds since 1970; null for never. */
export function readOlderFile(meta: Pick<MetaTable, 'get'>): number | null {
  const text = meta.get(noticeName);
  return text === undefined ? null : Number(text);
}

/** A line where an older copy of the service's own file was put back beside the workspace. */
export function describeOlderFile({ meta }: Pick<Tables, 'meta'>): string[] {
  const at = readOlderFile(meta);
  if (at === null) return [];
  return [
    `On ${formatTime(at)} service.sqlite was an older copy than this workspace. Passwords, sessions, links and consents ` +
      'were those of that copy: see `cartulary sessions`, `cartulary consent list` and `cartulary audit list`.',
  ];
}
