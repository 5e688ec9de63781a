import { SourceFault } from '../source.js';

/** git's words for what went wrong, and what they mean. The first that fits counts. */
const meanings: readonly (readonly [words: RegExp, fault: SourceFault['fault'], message: string])[] = [
  [/No space left on device|unable to write|Disk quota exceeded/i, 'internal', 'The disk of this service is full.'],
  [
    /attempting to allocate|Out of memory|size_t overflow|too large to fit/i,
    'limit',
    'The repository holds too many objects, or one that is too large. Mirror another branch or repository.',
  ],
  [
    /died of signal|used up its time/,
    'limit',
    'The repository takes too long to unpack. Mirror another branch or repository.',
  ],
  [
    /early EOF|unexpected disconnect|hung up unexpectedly|RPC failed|curl \d+/i,
    'network',
    'The connection to the source broke off. It is tried again later.',
  ],
  [
    /does not support shallow/i,
    'not_found',
    'The server cannot send a commit without its history. Mirror the repository from another server.',
  ],
  [
    /remote error|protocol error|bad line length|expected flush|invalid server response|invalid ls-refs response/i,
    'corrupt',
    'The source refused, or did not speak as a git server does. Try git clone with this address.',
  ],
];

const damaged = 'What the source sent is damaged. Its owner can look for the damage with git fsck.';

/**
 * What git's failure with a remote means. Nothing of git's words is shown: the remote has written some of them, and it
 * has seen the secret.
 * @param said git's words
 */
export function explainFailure(said: string): SourceFault {
  const problem = /\b(?:object |in packed object )([0-9a-f]{40,64}): (\w{1,40}):/.exec(said);
  if (problem !== null) {
    const [, oid = '', name = ''] = problem;
    return new SourceFault(
      'corrupt',
      `The source holds object ${oid}, which git refuses (${name}). Its owner finds it with git fsck.`,
    );
  }
  const [, fault, message] = meanings.find(([words]) => words.test(said)) ?? [];
  return new SourceFault(fault ?? 'corrupt', message ?? damaged);
}

/** Whether the remote has no reference of the name that was asked for. */
export function isAbsentReference(said: string): boolean {
  return said.includes("couldn't find remote ref");
}
