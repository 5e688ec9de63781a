/** One line of the last paragraph of a commit's message. */
export type Trailer = readonly [name: string, value: string];

/** A commit's message in its three parts. */
export interface CommitMessage {
  readonly subject: string;
  /** The writer's own message. */
  readonly message: string | null;
  /** In order. A name can occur more than once. */
  readonly trailers: readonly Trailer[];
}

/** Puts a message together. The last paragraph is always the trailers, so no text of a writer can pass for one. */
export function composeCommitMessage({ subject, message, trailers }: CommitMessage): string {
  const lines = trailers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return `${[subject, ...(message === null ? [] : [message]), lines].join('\n\n')}\n`;
}

const trailerLine = /^([A-Z][A-Za-z-]*): (.*)$/su;

/**
 * Takes a message apart. The last paragraph is always the service's own, whatever a writer put into theirs.
 * @returns undefined for a message in another form
 */
export function parseCommitMessage(text: string): CommitMessage | undefined {
  if (!text.endsWith('\n')) return undefined;
  const whole = text.slice(0, -1);
  const first = whole.indexOf('\n\n');
  const last = whole.lastIndexOf('\n\n');
  if (first < 0) return undefined;
  const trailers: Trailer[] = [];
  for (const line of whole.slice(last + 2).split('\n')) {
    const match = trailerLine.exec(line);
    if (match === null) return undefined;
    trailers.push([match[1] ?? '', match[2] ?? '']);
  }
  return {
    subject: whole.slice(0, first),
    message: first === last ? null : whole.slice(first + 2, last),
    trailers,
  };
}

/** The id given to a commit before an erase rewrote it; undefined for any other. */
export function findVersion(text: string): string | undefined {
  return parseCommitMessage(text)?.trailers.find(([name]) => name === 'Version')?.[1];
}

/** When the service made the commit, in milliseconds since 1970; undefined for a commit from elsewhere. */
export function findTime(text: string): number | undefined {
  const time = Date.parse(parseCommitMessage(text)?.trailers.find(([name]) => name === 'Time')?.[1] ?? '');
  return Number.isNaN(time) ? undefined : time;
}

const auditHead = /^(\d{1,15}) ([0-9a-f]{64})$/;

/** The end of the audit chain before the commit was made, according to the commit. */
export function findAuditHead(text: string): { readonly seq: number; readonly hash: string } | undefined {
  const value = parseCommitMessage(text)?.trailers.find(([name]) => name === 'Audit-Head')?.[1];
  const match = auditHead.exec(value ?? '');
  return match === null ? undefined : { seq: Number(match[1]), hash: match[2] ?? '' };
}

/** The trailer of the commit with a restart of the audit chain: the newest commit before it. */
export const recoveredFromTrailer = 'Recovered-From';

/** The commit from which the audit chain was restarted, if the commit carries a restart. */
export function findRestart(text: string): string | undefined {
  const trailers = parseCommitMessage(text)?.trailers;
  const isRecovery = trailers?.some(([name, value]) => name === 'Operation' && value === 'recover') === true;
  return isRecovery ? trailers?.find(([name]) => name === recoveredFromTrailer)?.[1] : undefined;
}
