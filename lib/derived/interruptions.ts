import { goesOn, Refusal } from '../domain/refusal.js';
import { systemErrorCode, WorkInterrupted } from '../git/errors.js';

/** What the system says when it has nothing left for the moment. */
const passing = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether a failure says nothing about the repository: it is as it was, and the work may succeed later. */
export function isPassing(error: unknown): boolean {
  const code = systemErrorCode(error) ?? '';
  return error instanceof WorkInterrupted || passing.has(code) || code.startsWith('SQLITE_');
}

export function interrupted(cause: unknown): Refusal {
  const message = 'Your repository could not be brought up to date just now. Try again as Retry-After says.';
  return new Refusal('UNAVAILABLE', message, { cause, retryAfter: 5 });
}

export function brokenOff(): Refusal {
  return goesOn('The transfer was broken off, since an erase removes what it read. Fetch again.');
}

export function madeAnew(): Refusal {
  return goesOn('The transfer was broken off, since your repository was made again. Fetch again.');
}
