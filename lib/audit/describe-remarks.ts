import type { ChainVerdict } from './verify-chain.js';

/** Remarks on a chain besides its soundness, for people: a sentence each. */
export function describeRemarks(verdict: ChainVerdict): string[] {
  const { restart, altered } = verdict;
  const sentences: string[] = [];
  // Where the restart is the fault, the problem says all this.
  const isTold = !verdict.sound && verdict.reason !== undefined;
  if (restart !== undefined && !isTold) {
    const { at, commit } = restart;
    sentences.push(`The log was restarted at ${at} from commit ${commit}. Records before it are not checked.`);
  }
  if (altered !== undefined) {
    const { count, records } = altered;
    const which = `${records.join(', ')}${count > records.length ? ' and more' : ''}`;
    sentences.push(
      `The text of ${count} ${count === 1 ? 'record' : 'records'} was altered by a known fault of earlier builds, and is ` +
        `read as it was committed to: ${which}.`,
    );
  }
  return sentences;
}
