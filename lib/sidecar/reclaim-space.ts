import type { Connection } from './driver.js';

/**
 * Gives unused pages back to the system.
 * @param keep pages that stay @param most pages to give back at once
 * @returns how many unused pages are left
 */
export function reclaimPages(connection: Connection, keep: number, most: number): number {
  const unused = connection.pragma('freelist_count', { simple: true }) as number;
  if (unused <= keep) return unused;
  const pages = Math.min(unused - keep, most);
  connection.pragma(`incremental_vacuum(${pages})`);
  return unused - pages;
}

/** Checkpoints the write-ahead log into the file and empties it. @returns false when an open snapshot prevented it */
export function truncateWal(connection: Connection): boolean {
  const [outcome] = connection.pragma('wal_checkpoint(TRUNCATE)') as { busy: number; log: number }[];
  return outcome?.busy === 0 && outcome.log === 0;
}
