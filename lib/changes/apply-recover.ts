import { writeCommit, type WriteContext } from './write-context.js';
import { recoveredFromTrailer } from '../history/trailers.js';

/**
 * Writes a commit that carries the restart of the audit chain, so that every later clone knows of it. It touches no
 * document. To be written after the record of the restart: its `Audit-Head` then names the new chain.
 * @returns the commit's id
 */
export function applyRecover(context: WriteContext, from: string): string {
  return writeCommit(context, [], {
    operation: 'recover',
    subject: `Restart the audit log after commit ${from}`,
    message: null,
    trailers: [[recoveredFromTrailer, from]],
  });
}
