import type { KeyObject } from 'node:crypto';
import type { AuditText } from '../domain/audit-record.js';
import { commitTo, hashRecord } from './canonical-record.js';
import { emptyChain, type ChainHead } from './chain.js';
import { isSignedBy, signedEvery, type SignedCheckpoint } from './checkpoint.js';
import type { ExportedLine, ExportedRecord } from './exported-line.js';

/** What a verification found. `problem` names the first record that is broken, missing or out of order. */
export type ChainVerdict =
  | {
      readonly sound: true;
      readonly records: number;
      readonly head: string;
      /** The last signature that was checked: up to there nobody without the private key can have changed anything. */
      readonly signed: { readonly seq: number; readonly at: string } | null;
    }
  | { readonly sound: false; readonly records: number; readonly seq: number; readonly problem: string };

/** Where the chain must at least reach, as learnt elsewhere: from a commit, or from someone who wrote it down. */
export interface KnownHead {
  readonly seq: number;
  readonly hash: string;
  /** Who says so, for the message: `commit 1f0c…`. */
  readonly witness?: string;
  /** The commit of a clone that says so; these are given in the order of the history. */
  readonly commit?: string;
}

export interface VerifyOptions {
  /** Checks the signatures, too, and that there are as many as there must be. */
  readonly publicKey?: KeyObject | undefined;
  /** Whether the lines are a whole export, which ends with a signature: only with a public key. */
  readonly isExport?: boolean;
  /** The record before the first one, for a stretch. */
  readonly start?: ChainHead | undefined;
}

/**
 * The first action of a chain that was begun anew, for a workspace made from a clone alone. Its version is the newest
 * commit that it was made from: that one and those before it bear witness of another chain.
 */
export const recoverAction = 'workspace.recover';

/** Records without a signature that a sound chain can have at the most: one group of the journal more than the rule. */
const mostUnsigned = 2 * signedEvery;

interface Fault {
  readonly seq: number;
  readonly problem: string;
}

/**
 * Checks a chain from its first record: numbering, linking, hashes, the texts that are given along, signatures.
 * Needs nothing but the lines, so an export alone can be checked.
 * @param known heads that were seen elsewhere; a chain that ends before one of them has lost its tail
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

/** A chain as far as it has been read, for those who have its lines one after the other. */
export class ChainVerifier {
  head: ChainHead;
  signed: { readonly seq: number; readonly at: string } | null = null;
  readonly #options: VerifyOptions;
  readonly #witnesses: readonly KnownHead[];
  #known: ReadonlyMap<number, readonly KnownHead[]>;
  #furthest: KnownHead | undefined;
  #workspace: string | undefined;
  #isClosed = false;

  constructor(known: readonly KnownHead[], options: VerifyOptions) {
    this.#options = options;
    this.#witnesses = known;
    [this.#known, this.#furthest] = arrange(known);
    this.head = options.start ?? emptyChain;
  }

  /** @returns the verdict when this line breaks the chain */
  take(line: ExportedLine): ChainVerdict | undefined {
    return this.#verdictOn('record' in line ? this.#takeRecord(line) : this.#takeCheckpoint(line.checkpoint));
  }

  /** The verdict after the last line. */
  finish(): ChainVerdict {
    const { seq, hash } = this.head;
    return this.#verdictOn(this.#faultOfEnd()) ?? { sound: true, records: seq, head: hash, signed: this.signed };
  }

  #verdictOn(fault: Fault | undefined): ChainVerdict | undefined {
    return fault === undefined ? undefined : { sound: false, records: this.head.seq, ...fault };
  }

  #takeRecord({ record, text }: ExportedRecord): Fault | undefined {
    const { hash, ...members } = record;
    const { seq } = this.head;
    if (record.seq === 1 && record.action === recoverAction) this.#forgetWitnesses(record.version);
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
    const opened = text === undefined ? undefined : faultOfText(record, text);
    if (opened !== undefined) return { seq: record.seq, problem: `record ${record.seq}: ${opened}` };
    const known = this.#known.get(record.seq)?.find((head) => head.hash !== hash);
    if (known !== undefined) {
      return { seq: record.seq, problem: `record ${record.seq} is not the one that ${nameOf(known)}` };
    }
    this.head = { seq: record.seq, hash };
    return this.#faultOfGap();
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
    const furthest = this.#furthest;
    if (furthest !== undefined && furthest.seq > seq) {
      return {
        seq: seq + 1,
        problem: `the chain ends at ${seq}, but record ${furthest.seq} is one that ${nameOf(furthest)}`,
      };
    }
    const { isExport, publicKey } = this.#options;
    if (isExport === true && publicKey !== undefined && !this.#isClosed) {
      return { seq: seq + 1, problem: `the export breaks off after record ${seq}, without the signature at its end` };
    }
    return undefined;
  }

  #forgetWitnesses(commit: string | null): void {
    const last = this.#witnesses.findLastIndex((head) => head.commit !== undefined && head.commit === commit);
    const later = last < 0 ? [] : this.#witnesses.slice(last + 1);
    const others = this.#witnesses.filter((head) => head.commit === undefined);
    [this.#known, this.#furthest] = arrange([...others, ...later.filter((head) => head.commit !== undefined)]);
  }

  #faultOfGap(): Fault | undefined {
    if (this.#options.publicKey === undefined) return undefined;
    const from = this.signed?.seq ?? 0;
    if (this.head.seq - from <= mostUnsigned) return undefined;
    return { seq: from + 1, problem: `no signature covers the records from ${from + 1} to ${this.head.seq}` };
  }
}

/** Known heads by their numbers, and the one that lies furthest on. */
function arrange(known: readonly KnownHead[]): [ReadonlyMap<number, readonly KnownHead[]>, KnownHead | undefined] {
  const bySeq = new Map<number, KnownHead[]>();
  let furthest: KnownHead | undefined;
  for (const head of known) {
    bySeq.set(head.seq, [...(bySeq.get(head.seq) ?? []), head]);
    if (head.seq > (furthest?.seq ?? 0)) furthest = head;
  }
  return [bySeq, furthest];
}

function nameOf(known: KnownHead): string {
  return known.witness === undefined ? 'was witnessed elsewhere' : `${known.witness} bears witness of`;
}

function faultOfText(record: ExportedRecord['record'], text: AuditText): string | undefined {
  const salt = Buffer.from(text.salt, 'hex');
  for (const part of ['target', 'detail'] as const) {
    const clear = text[part];
    if (clear !== null && commitTo(clear, salt).toString('hex') !== record[part]) {
      return `the text kept for its ${part} is not the one it commits to`;
    }
  }
  return undefined;
}
