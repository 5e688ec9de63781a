/** A head that the chain must at least reach, known from a commit or from a person's note. */
export interface KnownHead {
  /** 0 where a commit says nothing of the chain. */
  readonly seq: number;
  readonly hash: string;
  /** The witness, for the message: `commit 1f0c…`. */
  readonly witness?: string;
  /** The witnessing commit of a clone; these are given in the order of the history. */
  readonly commit?: string;
  /** That commit carries a restart of the chain: from this earlier one. */
  readonly restartedFrom?: string;
}

export interface ArrangedHeads {
  readonly bySeq: ReadonlyMap<number, readonly KnownHead[]>;
  /** The head furthest on. */
  readonly furthest: KnownHead | undefined;
}

/** Known heads by their numbers. */
export function arrangeHeads(known: readonly KnownHead[]): ArrangedHeads {
  const bySeq = new Map<number, KnownHead[]>();
  let furthest: KnownHead | undefined;
  for (const head of known) {
    bySeq.set(head.seq, [...(bySeq.get(head.seq) ?? []), head]);
    if (head.seq > (furthest?.seq ?? 0)) furthest = head;
  }
  return { bySeq, furthest };
}

/** The rest of a sentence: the source of the head. */
export function nameHead(known: KnownHead): string {
  return known.witness === undefined ? 'was witnessed elsewhere' : `${known.witness} bears witness of`;
}

/**
 * The remaining witnesses of a chain restarted from a commit. These are the later commits of a clone, and every head
 * noted outside of one.
 * @returns undefined where there is a clone and it does not know the commit. An erase can remove the commit; then the
 * commit with the restart names it.
 */
export function witnessesSince(
  witnesses: readonly KnownHead[],
  commit: string | null,
): readonly KnownHead[] | undefined {
  const ofClone = witnesses.filter((head) => head.commit !== undefined);
  const noted = witnesses.filter((head) => head.commit === undefined);
  if (ofClone.length === 0) return noted;
  const itself = ofClone.findLastIndex((head) => head.commit === commit);
  const carrier = ofClone.findLastIndex((head) => head.restartedFrom === commit);
  if (itself < 0 && carrier < 0) return undefined;
  return [...noted, ...ofClone.slice(itself < 0 ? carrier : itself + 1)];
}
