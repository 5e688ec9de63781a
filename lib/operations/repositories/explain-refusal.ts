import type { AccessChange } from '../../domain/access-change.js';
import { formatTime } from '../../domain/clock.js';
import { formatBytes } from '../../domain/format-bytes.js';
import type { Location } from '../../domain/location.js';
import type { RefusedFile } from '../../domain/refused-file.js';
import type { Reason } from '../../domain/reason.js';
import { Refusal } from '../../domain/refusal.js';
import type { RefusalDetails } from '../../domain/refusal-details.js';

/** Why one file of a push is refused, and what its author can do. */
export type FileFault = Pick<RefusedFile, 'reason' | 'sentence' | 'remedy'>;

/** A reason to refuse a file that only a push knows. */
export class UnfitFile extends Error {
  override readonly name = 'UnfitFile';
  readonly fault: FileFault;

  constructor(fault: FileFault) {
    super(fault.sentence);
    this.fault = fault;
  }
}

const pull = 'Run git pull --rebase, then push again.';
const renameIt = 'Give the file another name in that commit, then push again.';
/** People named by a refused move. The report through REST has all of them. */
const maxNamed = 5;

/** The document is not in the state, or not in the place, that the pushed commit builds on. */
export function changedMeanwhile(): UnfitFile {
  const sentence = 'It has changed here since the commit that the push builds on.';
  return new UnfitFile({ reason: 'stale_if_match', sentence, remedy: pull });
}

/** @param twin the name that some disks cannot tell from the new one */
export function twinTaken(twin: Location): UnfitFile {
  const sentence = `On many disks its name is the same as "${twin}".`;
  return new UnfitFile({ reason: 'name_taken', sentence, remedy: renameIt });
}

/** @param limit bytes */
export function tooLarge(limit: number): UnfitFile {
  const sentence = `It has more than ${formatBytes(limit)}.`;
  return new UnfitFile({ reason: 'content_too_large', sentence, remedy: 'Make it smaller, or leave it out.' });
}

/**
 * The fault of a file, from the error of its check. Absent, hidden and not writable are one answer.
 * @throws the error itself, where it is not about the file
 */
export function explainRefusal(error: unknown): FileFault {
  if (error instanceof UnfitFile) return error.fault;
  if (!(error instanceof Refusal)) throw error;
  if (error.code === 'NOT_FOUND') {
    return {
      reason: 'not_found',
      sentence: 'You may not write here, or there is nothing here.',
      remedy: 'Leave the file out of that commit, or ask for the role of an editor there.',
    };
  }
  const { details } = error;
  if (details === undefined || !isExplained(details.reason)) throw error;
  const explain = explainers[details.reason] as (details: RefusalDetails, message: string) => Words;
  return { reason: details.reason, ...explain(details, error.message) };
}

type Words = Omit<FileFault, 'reason'>;

/** The reasons that concern one file. */
type Explained = 'name_taken' | 'claimed' | 'read_only_source' | 'access_would_widen' | 'bad_location';

const explainers: {
  readonly [Of in Explained]: (details: RefusalDetails<Of>, message: string) => Words;
} = {
  name_taken: ({ location = '' }) => ({
    sentence: `The name "${location}" is taken by something else.`,
    remedy: 'Run git pull --rebase. Then choose another name, or change what is there.',
  }),
  claimed({ claim: { holder, expiresAt, section } }) {
    const part = section === null ? 'it' : `its section "${section}"`;
    return {
      sentence: `${holder.displayName} has claimed ${part} until ${formatSecond(expiresAt)}.`,
      remedy: `Wait until then, or ask ${holder.displayName} to release it.`,
    };
  },
  read_only_source({ connector: { displayName } }) {
    const source = displayName === undefined ? 'an outside source' : `the source of the connector "${displayName}"`;
    return {
      sentence: `Its folder mirrors ${source} and is read-only here.`,
      remedy: 'Change it at the source, and leave it out of the push.',
    };
  },
  access_would_widen({ report: { gains } }) {
    const named = gains.slice(0, maxNamed).map(describeGain).join('; ');
    const rest = gains.length > maxNamed ? `; and ${gains.length - maxNamed} more` : '';
    return {
      sentence: `Moved there, more people would reach it: ${named}${rest}.`,
      remedy:
        'Move it in the console or through REST, which ask you to confirm that. Then run git pull --rebase. If the new file is another one, delete the old one in a commit of its own.',
    };
  },
  bad_location: (_, message) => ({ sentence: message, remedy: renameIt }),
};

function isExplained(reason: Reason): reason is Explained {
  return Object.hasOwn(explainers, reason);
}

/** A time without its milliseconds. */
const formatSecond = (time: number): string => formatTime(time).replace(/\.[0-9]+Z$/, 'Z');

function describeGain({ subject, toRole, via }: AccessChange): string {
  const who = subject.displayName ?? (subject.type === 'group' ? 'a group' : 'someone');
  return `${who} would be ${toRole ?? 'nothing'} by the grant on "${via.location}"`;
}
