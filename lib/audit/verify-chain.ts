import type { KeyObject } from 'node:crypto';
import { commitTo, hashRecord } from './canonical-record.js';
import { emptyChain, type ChainHead } from './chain.js';
import { isSignedBy, signedEvery, type SignedCheckpoint } from './signed-checkpoint.js';
import type { ExportedLine, ExportedRecord } from './exported-line.js';
import { arrangeHeads, nameHead, witnessesSince, type ArrangedHeads, type KnownHead } from './known-heads.js';
import type { AuditRecord, AuditText } from '../domain/audit-record.js';

export type { KnownHead } from './known-heads.js';

/** Three times U+FFFD: the form in which earlier builds exported a committed U+FFFD (decision 0100). */
const exportedByEarlierBuilds = /\ufffd{3}/g;

/** The result of a verification. `problem` names the first record that is broken, missing or out of order. */
export type ChainVerdict = SoundChain | UnsoundChain;

export interface SoundChain extends ChainRemarks {
  readonly sound: true;
  readonly records: number;
  readonly head: string;
  /** The last checked signature: up to there a change requires the private key. */
  readonly signed: { readonly seq: number; readonly at: string } | null;
}

export interface UnsoundChain extends ChainRemarks {
  readonly sound: false;
  /** How many are sound, from the first on. */
  readonly records: number;
  readonly seq: number;
  readonly problem: string;
  readonly reason?: RestartFault;
}

/** An unexpected restart, or one that the clone at hand does not know. */
export type RestartFault = 'unexpected_restart' | 'unknown_restart';

/** Further remarks on a chain; a member exists only where there is something to say. */
export interface ChainRemarks {
  readonly restart?: ChainRestart;
  readonly altered?: AlteredTexts;
}

/** The chain does not begin where the workspace began: the workspace was made from a clone. */
export interface ChainRestart {
  /** RFC 3339 UTC. */
  readonly at: string;
  /** The newest commit of that clone. */
  readonly commit: string | null;
}

/** Texts that earlier builds stored, or exported, in another form than the committed one (decision 0100). */
export interface AlteredTexts {
  readonly count: number;
  /** The first of their records. */
  readonly records: readonly number[];
}

export interface VerifyOptions {
  /** Checks the signatures, too, and that their number suffices. */
  readonly publicKey?: KeyObject | undefined;
  /** Whether the lines are a whole export, which ends with a signature: only with a public key. */
  readonly isExport?: boolean;
  /** The record before the first one, for a range. */
  readonly start?: ChainHead | undefined;
  /** The expected restart of the chain: from this commit, or from any. Any other one is a fault. */
  readonly restartedFrom?: string | typeof anyCommit | undefined;
}

/** For checks of damage to the chain that accept any restart. */
export const anyCommit = Symbol('any commit');

/**
 * The first action of a restarted chain, for a workspace made from a clone alone. Its version is the newest commit of
 * the clone: that commit and those before it bear witness of another chain.
 */
export const recoverAction = 'workspace.recover';

/** Maximum of unsigned records in a sound chain: one group of the journal more than the rule. */
const maxUnsigned = 2 * signedEvery;
/** Maximum of altered records named. */
const maxNamed = 20;

type Fault = Pick<UnsoundChain, 'seq' | 'problem' | 'reason'>;

/**
 * Checks a chain from its first record: numbering, linking, hashes, the given texts, signatures. Needs nothing but the
 * lines, so an export alone can be checked.
 * @param known heads seen elsewhere; a chain that ends before one of them has lost its tail
 */
export function verifyChain(
  lines: Iterable<ExportedLine>,
  known: readonly KnownHead[] = [],
  options: VerifyOptions = {},
): ChainVerdict {
  const chain = new ChainVerifier(known, options);
  for (const line of lines) {
    const broken = chain.take(line);
    if (broken !== undefined) return broken;
  }
  return chain.finish();
}

/** A chain as far as it has been read, for callers that read its lines one after the other. */
export class ChainVerifier {
  head: ChainHead;
  signed: { readonly seq: number; readonly at: string } | null = null;
  readonly #options: VerifyOptions;
  readonly #witnesses: readonly KnownHead[];
  #known: ArrangedHeads;
  #workspace: string | undefined;
  #isClosed = false;
  #restart: ChainRestart | undefined;
  readonly #altered: number[] = [];
  #alteredCount = 0;

  constructor(known: readonly KnownHead[], options: VerifyOptions) {
    this.#options = options;
    this.#witnesses = known;
    this.#known = arrangeHeads(known);
    this.head = options.start ?? emptyChain;
  }

  /** @returns the verdict when this line breaks the chain */
  take(line: ExportedLine): ChainVerdict | undefined {
    const fault = 'record' in line ? this.#takeRecord(line) : this.#takeCheckpoint(line.checkpoint);
    return fault === undefined ? undefined : this.#makeUnsound(fault);
  }

  /** Notes a record with an altered text in the file; the given line has the committed text. */
  noteAltered(seq: number): void {
    this.#alteredCount += 1;
    if (this.#altered.length < maxNamed) this.#altered.push(seq);
  }

  /** The verdict after the last line. */
  finish(): ChainVerdict {
    const { seq, hash } = this.head;
    const fault = this.#faultOfEnd() ?? this.#faultOfRestart();
    if (fault !== undefined) return this.#makeUnsound(fault);
    return { sound: true, records: seq, head: hash, signed: this.signed, ...this.#remarks() };
  }

  #makeUnsound(fault: Fault): UnsoundChain {
    return { sound: false, records: this.head.seq, ...fault, ...this.#remarks() };
  }

  #remarks(): ChainRemarks {
    const altered = { count: this.#alteredCount, records: this.#altered };
    return {
      ...(this.#restart === undefined ? {} : { restart: this.#restart }),
      ...(altered.count === 0 ? {} : { altered }),
    };
  }

  #takeRecord({ record, text }: ExportedRecord): Fault | undefined {
    const { hash, ...members } = record;
    const { seq } = this.head;
    if (this.#isClosed) return { seq: record.seq, problem: `record ${record.seq} follows the end of the export` };
    if (record.seq !== seq + 1) {
      return record.seq > seq + 1
        ? { seq: seq + 1, problem: `record ${seq + 1} is missing; record ${record.seq} follows` }
        : { seq: record.seq, problem: `record ${record.seq} stands out of order, after ${seq}` };
    }
    if (record.prev_hash !== this.head.hash) {
      return { seq: record.seq, problem: `record ${record.seq} does not link to the one before it` };
    }
    if (hashRecord(members).toString('hex') !== hash) {
      return { seq: record.seq, problem: `record ${record.seq} was changed: its hash does not match its content` };
    }
    const judged = text === undefined ? 'as committed' : judgeText(record, text);
    if (typeof judged === 'object') return { seq: record.seq, problem: `record ${record.seq}: ${judged.problem}` };
    if (judged === 'altered') this.noteAltered(record.seq);
    const unknown = record.seq === 1 && record.action === recoverAction ? this.#takeRestart(record) : undefined;
    if (unknown !== undefined) return unknown;
    const known = this.#known.bySeq.get(record.seq)?.find((head) => head.hash !== hash);
    if (known !== undefined) {
      return { seq: record.seq, problem: `record ${record.seq} is not the one that ${nameHead(known)}` };
    }
    this.head = { seq: record.seq, hash };
    return this.#faultOfGap();
  }

  /** A clone's commits up to the named one bear witness of another chain. A noted head always counts. */
  #takeRestart({ at, version }: ExportedRecord['record']): Fault | undefined {
    this.#restart = { at, commit: version };
    const since = witnessesSince(this.#witnesses, version);
    if (since === undefined) {
      return {
        seq: 1,
        reason: 'unknown_restart',
        problem: `record 1 says that the log was restarted at ${at} from commit ${version}, and the clone has no such commit: it cannot confirm that`,
      };
    }
    this.#known = arrangeHeads(since);
    return undefined;
  }

  #faultOfRestart(): Fault | undefined {
    const { restartedFrom } = this.#options;
    if (this.#restart === undefined || restartedFrom === anyCommit) return undefined;
    const { at, commit } = this.#restart;
    if (restartedFrom !== undefined && restartedFrom === commit) return undefined;
    const other = restartedFrom === undefined ? '' : `; expected was a restart from commit ${restartedFrom}`;
    return {
      seq: 1,
      reason: 'unexpected_restart',
      problem: `the log was restarted at ${at} from commit ${commit}, and records before it are not checked${other}`,
    };
  }

  #takeCheckpoint(checkpoint: SignedCheckpoint): Fault | undefined {
    const { seq, hash, workspace, at, closing } = checkpoint;
    const { publicKey } = this.#options;
    if (publicKey !== undefined && !isSignedBy(checkpoint, publicKey)) {
      return { seq, problem: `the signature over record ${seq} was not made by this key` };
    }
    if (this.#workspace !== undefined && workspace !== this.#workspace) {
      return { seq, problem: `the signature over record ${seq} is of another workspace, "${workspace}"` };
    }
    if (seq > this.head.seq) {
      return { seq: this.head.seq + 1, problem: `the chain ends at ${this.head.seq}, but record ${seq} was signed` };
    }
    if (seq < this.head.seq) {
      return { seq, problem: `the signature over record ${seq} stands out of order, after ${this.head.seq}` };
    }
    if (hash !== this.head.hash) {
      const from = (this.signed?.seq ?? 0) + 1;
      return { seq: from, problem: `records ${from} to ${seq} were rewritten: ${seq} is not the one that was signed` };
    }
    this.#workspace = workspace;
    this.#isClosed = closing;
    if (publicKey !== undefined) this.signed = { seq, at };
    return undefined;
  }

  #faultOfEnd(): Fault | undefined {
    const { seq } = this.head;
    const { furthest } = this.#known;
    if (furthest !== undefined && furthest.seq > seq) {
      return {
        seq: seq + 1,
        problem: `the chain ends at ${seq}, but record ${furthest.seq} is one that ${nameHead(furthest)}`,
      };
    }
    const { isExport, publicKey } = this.#options;
    if (isExport === true && publicKey !== undefined && !this.#isClosed) {
      return { seq: seq + 1, problem: `the export breaks off after record ${seq}, without the signature at its end` };
    }
    return undefined;
  }

  #faultOfGap(): Fault | undefined {
    if (this.#options.publicKey === undefined) return undefined;
    const from = this.signed?.seq ?? 0;
    if (this.head.seq - from <= maxUnsigned) return undefined;
    return { seq: from + 1, problem: `no signature covers the records from ${from + 1} to ${this.head.seq}` };
  }
}

/**
 * Whether a text matches its record's commitment. A target has a second reading. Earlier builds exported half of a
 * surrogate pair as three times U+FFFD, and had committed to one U+FFFD. The commitment decides here, too, so this
 * excuses no other difference.
 * @returns `altered` where the second reading holds; a problem, which goes on from the record's number, where none does
 */
function judgeText(
  record: Pick<AuditRecord, 'target' | 'detail'>,
  { salt, target, detail }: Omit<AuditText, 'seq'>,
): 'as committed' | 'altered' | { readonly problem: string } {
  const key = Buffer.from(salt, 'hex');
  const isCommitted = (text: string | null, commitment: string | null): boolean =>
    text === null || commitTo(text, key).toString('hex') === commitment;
  if (!isCommitted(detail, record.detail)) return notTheText('detail');
  if (isCommitted(target, record.target)) return 'as committed';
  const second = target?.replace(exportedByEarlierBuilds, '\ufffd') ?? null;
  return second !== target && isCommitted(second, record.target) ? 'altered' : notTheText('target');
}

const notTheText = (part: 'target' | 'detail'): { readonly problem: string } => ({
  problem: `the text kept for its ${part} is not the one it commits to`,
});
