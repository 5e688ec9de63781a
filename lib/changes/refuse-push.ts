import { maxRefusedFiles } from './push.js';
import type { RefusedFile } from '../domain/refused-file.js';
import { conflict, type Refusal } from '../domain/refusal.js';

/** The refusal of a push onto what is no longer the state that its principal reads. */
export function fetchFirst(): Refusal {
  return conflict('push_outdated', 'Main has commits that this push lacks. Run git pull --rebase, then push again.', {
    isForward: true,
  });
}

/** The refusal of a push as a whole. It names the first of the refused files, and counts them all. */
export function refusePush(refused: readonly RefusedFile[]): Refusal {
  const count = refused.length;
  const what = count === 1 ? 'A file cannot be written as it is.' : `${count} files cannot be written as they are.`;
  return conflict('push_refused', `${what} Nothing of the push was written.`, {
    refused: refused.slice(0, maxRefusedFiles),
    count,
  });
}
