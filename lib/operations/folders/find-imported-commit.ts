import { formatTime } from '../../domain/clock.js';
import { dropHidden } from '../../domain/hidden-characters.js';
import type { Location } from '../../domain/location.js';
import type { ForeignCommit } from '../../git/sources/foreign-commit.js';
import type { Oid } from '../../git/objects/objects.js';
import { parseCommitMessage } from '../../history/trailers.js';
import { adminNeeds } from '../needs.js';
import type { ReadOperation } from '../operation.js';

/** Maximum characters of a commit's subject, author and target in a version's message. */
const maxSubjectLength = 250;
const maxAuthorLength = 100;
export const maxPlaceLength = 400;

const control = /[\p{Cc}\p{Surrogate}\u2028\u2029]+/gu;
const markLine = /(?:^|\n)git commit ([0-9a-f]{40}), imported into \/(.*)$/su;

/** A version's message about its source commit in an outside repository: subject, author, time and oid. */
export function describeImportedCommit(oid: Oid, { author, message }: ForeignCommit, into: Location): string {
  const subject = cut(message.trimStart().split('\n', 1)[0] ?? '', maxSubjectLength);
  const time =
    Math.abs(author.seconds) <= 8.64e12 ? formatTime(author.seconds * 1000).replace('.000Z', 'Z') : 'at no known time';
  const by = `${cut(author.name, maxAuthorLength)} <${cut(author.email, maxAuthorLength)}>, ${time}`;
  return `${subject === '' ? '(no subject)' : subject}\n\n${by}\ngit commit ${oid}, imported into /${into}`;
}

function cut(text: string, most: number): string {
  const clean = dropHidden(text.replace(control, ' ')).trim();
  const characters = Array.from(clean);
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : clean;
}

/** The source commit named in a version's message. Undefined if it is not an import's, or had another target. */
export function readImportedCommit(message: string | null, into: Location): Oid | undefined {
  const [, oid, place] = markLine.exec(message ?? '') ?? [];
  return place === into ? oid : undefined;
}

export interface FindImportedInput {
  readonly into: Location;
  /** Commits of the imported repository. */
  readonly among: Pick<ReadonlySet<Oid>, 'has'>;
}

/**
 * The last of a repository's commits imported by the caller. Null without one. It is read from the history itself, the
 * newest first, so that it holds after restores and later writes. Admin.
 */
export const findImportedCommit: ReadOperation<FindImportedInput, Oid | null> = {
  kind: 'read',
  name: 'document.find_imported',
  needs: () => adminNeeds,
  note: ({ into }) => ({ target: into }),
  async run({ workspace, caller }, { into, among }) {
    let next: Oid | null | undefined = workspace.journal.state.head;
    while (next !== null && next !== undefined) {
      const { parents, message } = await workspace.objects.readCommit(next);
      const parsed = parseCommitMessage(message);
      const isOwn = parsed?.trailers.some(([name, value]) => name === 'Principal' && value === caller.principalId);
      const found = isOwn === true ? readImportedCommit(parsed?.message ?? null, into) : undefined;
      if (found !== undefined && among.has(found)) return found;
      [next] = parents;
    }
    return null;
  },
};
