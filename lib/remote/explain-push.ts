import type { Refusal } from '../domain/refusal.js';
import { retryMessage } from './retry-message.js';

/** A refusal as git shows it. */
export interface ExplainedPush {
  /** Behind `! [remote rejected] main -> main`. */
  readonly reason: string;
  /** Behind `remote:`, a line each. */
  readonly lines: readonly string[];
}

/** Files that are named, one line each. */
const maxNamed = 50;

const howToMend =
  'Nothing was written. To change a commit: git commit --amend for the last one, git rebase -i for an earlier one.';
const pushedBefore = 'This commit was pushed before, onto another main. Run git pull --rebase, then push again.';

/** The refusal of a push in git's form: a short reason, and a sentence with a remedy for each refused file. */
export function explainPush(refusal: Refusal): ExplainedPush {
  const { details, code } = refusal;
  if (details?.reason === 'push_refused') {
    const { refused, count } = details;
    const named = refused.slice(0, maxNamed);
    const lines = named.map(({ location, commit, sentence, remedy }) =>
      `${location} (${commit.slice(0, 8)}): ${sentence} ${remedy}`.trimEnd(),
    );
    const rest = count - named.length;
    return {
      reason: count === 1 ? 'a file was refused' : `${count} files were refused`,
      lines: [...lines, ...(rest > 0 ? [`and ${rest} more`] : []), howToMend],
    };
  }
  if (details?.reason === 'push_outdated') {
    return { reason: details.isForward ? 'fetch first' : 'non-fast-forward', lines: [refusal.message] };
  }
  // A push is known by its last commit.
  if (details?.reason === 'idempotency_key_reused') return { reason: 'fetch first', lines: [pushedBefore] };
  if (code === 'INTERNAL')
    return { reason: 'internal error', lines: ['The service failed. Nothing is lost: push again.'] };
  return { reason: firstSentence(refusal.message), lines: [retryMessage(refusal)] };
}

function firstSentence(text: string): string {
  const end = text.indexOf('. ');
  const sentence = end < 0 ? text.replace(/\.$/, '') : text.slice(0, end);
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
