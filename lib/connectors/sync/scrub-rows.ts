import type { Steps } from '../../scheduling/in-steps.js';
import type { MirrorEntry } from '../../sidecar/tables/mirror-entry-table.js';

/** The rows with the secret taken out of their remarks, which a source can have written. */
export function* scrubRows(rows: readonly MirrorEntry[], scrub: (text: string) => string): Steps<MirrorEntry[]> {
  const scrubbed: MirrorEntry[] = [];
  for (const row of rows) {
    yield;
    scrubbed.push(row.detail === null ? row : { ...row, detail: scrub(row.detail) });
  }
  return scrubbed;
}
