import { byteLength } from '../../domain/location.js';
import { SourceFault, type Listing, type SourceEntry } from '../source.js';
import type { SyncLimits } from './limits.js';
import { itemsUntilAborted } from './until-aborted.js';

/**
 * Takes a whole listing, which is counted as it comes.
 * @param elapsed milliseconds of a steady clock
 * @param onListed gets the number of entries so far
 * @throws SourceFault `limit` beyond the bounds; `network` where it is too slow; errors of the listing, when it ends too early
 */
export async function takeListing(
  listing: Listing,
  limits: SyncLimits,
  signal: AbortSignal,
  elapsed: () => number,
  onListed: (entries: number) => void,
): Promise<SourceEntry[]> {
  const taken: SourceEntry[] = [];
  let [pathBytes, otherBytes] = [0, 0];
  const began = elapsed();
  for await (const part of itemsUntilAborted(signal, listing.entries)) {
    for (const entry of part) {
      pathBytes += byteLength(entry.path ?? '');
      otherBytes += othersOf(entry);
      if (taken.length >= limits.entries) throw tooMany(`more than ${limits.entries} files`);
      if (pathBytes > limits.pathBytes) throw tooMany(`paths of more than ${limits.pathBytes} bytes in all`);
      if (otherBytes > limits.otherBytes) throw tooMany(`versions of more than ${limits.otherBytes} bytes in all`);
      taken.push(entry);
    }
    onListed(taken.length);
    requirePace(taken.length, elapsed() - began, limits);
  }
  return taken;
}

/** Bytes of what is stored of an entry beside its path. */
function othersOf(entry: SourceEntry): number {
  if (entry.type === 'removed') return byteLength(entry.id ?? '');
  if (entry.type === 'unreadable') return byteLength(entry.detail);
  return byteLength(entry.version) + byteLength((entry.type === 'file' ? entry.id : entry.detail) ?? '');
}

function tooMany(what: string): SourceFault {
  return new SourceFault('limit', `The source lists ${what}. Choose a smaller part of it. Nothing was changed here.`);
}

const minute = 60_000;
/** Milliseconds in which a listing may be slow: a source can have to wake up, or to walk through empty folders. */
const grace = 5 * minute;

/** A source that says a little now and then is never silent, and would hold its slot for hours. */
function requirePace(entries: number, milliseconds: number, { entriesPerMinute }: SyncLimits): void {
  if (milliseconds < grace || entries >= (milliseconds / minute) * entriesPerMinute) return;
  throw new SourceFault(
    'network',
    `The source lists fewer than ${entriesPerMinute} files a minute. Choose a smaller part of it. The sync is tried again.`,
  );
}
