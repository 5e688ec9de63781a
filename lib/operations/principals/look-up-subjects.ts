import { compareText, rootLocation } from '../../domain/location.js';
import type { Subject } from '../../domain/grant.js';
import type { Group, Principal } from '../../domain/principal.js';
import { notFound } from '../../domain/refusal.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { Steps } from '../../scheduling/in-steps.js';
import type { Tables } from '../../sidecar/tables.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { findSigningIn, type FoundSubject } from './find-subjects.js';

/** The most subjects of one answer. */
export const maxFoundSubjects = 20;
/** Rows read together. */
const batch = 500;

export interface LookUpInput {
  /** The beginning of a name, or of a word in it. For an admin also the whole name that a person signs in with. */
  readonly text: string;
}

/** A subject and how well it fits: those that begin with the text come first. */
interface Match {
  readonly subject: FoundSubject;
  readonly rank: number;
  readonly name: string;
}

/** Words in lower case, one space before each. */
function fold(name: string): string {
  const words = name
    .normalize('NFKC')
    .toLowerCase()
    .split(/[\s._@-]/u);
  return words
    .filter((word) => word !== '')
    .map((word) => ` ${word}`)
    .join('');
}

const compareMatches = (one: Match, other: Match): number =>
  one.rank - other.rank || compareText(one.name, other.name) || compareText(one.subject.id, other.subject.id);

/**
 * Principals and groups by the beginning of their names, in order to share with them. The best twenty are found. The
 * disabled and the operator are left out. Approver of any place: a caller who may share may know the names. For everyone
 * else there is nothing, whatever the text (NOT_FOUND).
 */
export const lookUpSubjects: ReadOperation<LookUpInput, readonly FoundSubject[]> = {
  kind: 'read',
  name: 'principal.look_up',
  isHeavy: true,
  needs: () => [],
  note: ({ text }) => ({ target: text }),
  async run(context, { text }) {
    requireSharer(context);
    const wanted = fold(text);
    if (wanted === '') return [];
    const signingIn = context.view.reach.holds('approver', rootLocation) ? findSigningIn(context, text) : undefined;
    const matches = await runCooperatively(findMatches(context, wanted, signingIn));
    return matches.map(({ subject }) => subject);
  },
};

/** @throws Refusal NOT_FOUND for a caller who is approver nowhere */
function requireSharer({ workspace, caller }: Pick<ReadContext, 'workspace' | 'caller'>): Tables {
  const { reach, tables } = workspace.view(caller);
  if (!reach.holdsSomewhere('approver')) throw notFound();
  return tables;
}

/** The rights are asked for again with each batch: others may have written since the one before. */
function* findMatches(context: ReadContext, wanted: string, signingIn: string | undefined): Steps<readonly Match[]> {
  let best: Match[] = [];
  const take = (subject: FoundSubject): void => {
    const name = fold(subject.displayName);
    const rank = name.startsWith(wanted) ? 1 : 2;
    if (subject.id === signingIn) best.push({ subject, rank: 0, name });
    else if (name.includes(wanted)) best.push({ subject, rank, name });
  };
  const keepBest = (): void => {
    best = best.toSorted(compareMatches).slice(0, maxFoundSubjects);
  };
  for (const read of [readPrincipals, readGroups]) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const rows: readonly Row[] = read(requireSharer(context), after);
      for (const { id, found } of rows) {
        after = id;
        if (found !== undefined) take(found);
      }
      keepBest();
      if (rows.length < batch) after = undefined;
      yield;
    }
  }
  return best;
}

interface Row {
  readonly id: string;
  /** Undefined for one that cannot be shared with. */
  readonly found: FoundSubject | undefined;
}

function readPrincipals({ principals }: Tables, after: string): readonly Row[] {
  return principals.after(after, batch).map((principal) => ({ id: principal.id, found: toPrincipal(principal) }));
}

function toPrincipal({ id, kind, displayName, disabledAt }: Principal): FoundSubject | undefined {
  if (disabledAt !== null || kind === 'operator') return undefined;
  return { type: 'principal' satisfies Subject['type'], id, displayName, kind };
}

function readGroups({ groups }: Tables, after: string): readonly Row[] {
  return groups.after(after, batch).map(({ id, displayName }: Group) => ({
    id,
    found: { type: 'group', id, displayName, kind: 'group' },
  }));
}
