/** A part of a line, for marking changes within it. */
export interface LinePart {
  readonly text: string;
  readonly isChanged: boolean;
}

/** A line of a diff: in both texts, or only in the older or the newer one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  /** Its number in the older text, from 1; null when it is not there. */
  readonly from: number | null;
  readonly to: number | null;
  /** Without its line end. */
  readonly text: string;
  /** The changes within the line, where it replaces a similar line or a similar line replaces it; null otherwise. */
  readonly parts: readonly LinePart[] | null;
  /** False for a last line without a line end. */
  readonly isEnded: boolean;
}

/** Changed lines, with some around them. Line numbers as in a unified diff. */
export interface Hunk {
  readonly fromLine: number;
  readonly fromLines: number;
  readonly toLine: number;
  readonly toLines: number;
  readonly lines: readonly DiffLine[];
}

export interface TextDiff {
  readonly hunks: readonly Hunk[];
  readonly added: number;
  readonly removed: number;
  /** False when the texts differ so much that a larger range than needed is shown as replaced. */
  readonly isShortest: boolean;
}

/** A unified diff, as `diff -u` and git print it, without a header. */
export function formatUnified({ hunks }: TextDiff): string {
  const sign = { same: ' ', removed: '-', added: '+' } as const;
  return hunks
    .map((hunk) => {
      const lines = hunk.lines.map(
        ({ kind, text, isEnded }) => `${sign[kind]}${text}\n${isEnded ? '' : '\\ No newline at end of file\n'}`,
      );
      return `@@ -${hunk.fromLine},${hunk.fromLines} +${hunk.toLine},${hunk.toLines} @@\n${lines.join('')}`;
    })
    .join('');
}
