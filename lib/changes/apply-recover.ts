import { runAtOnce } from '../scheduling/in-steps.js';
import { recordEvent } from './record-event.js';
import type { WriteContext } from './write-context.js';

/**
 * Writes a commit with the restart of the audit chain, so that every later clone has it. It touches no document. It
 * comes after the record of the restart: its `Audit-Head` then names the new chain.
 * @param from the newest version id of the clone
 * @returns the commit's id
 */
export function applyRecover(context: WriteContext, from: string): string {
  const { versionId } = runAtOnce(recordEvent(context, { event: { type: 'recover', from }, files: [], message: null }));
  return versionId;
}
