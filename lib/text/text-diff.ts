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

const signs = { same: ' ', removed: '-', added: '+' } as const;

function formatStart({ fromLine, fromLines, toLine, toLines }: Hunk): string {
  return `@@ -${fromLine},${fromLines} +${toLine},${toLines} @@\n`;
}

function formatLine({ kind, text, isEnded }: DiffLine): string {
  return `${signs[kind]}${text}\n${isEnded ? '' : '\\ No newline at end of file\n'}`;
}

/** A unified diff, as `diff -u` and git print it, without a header. */
export function formatUnified({ hunks }: Pick<TextDiff, 'hunks'>): string {
  return hunks.map((hunk) => `${formatStart(hunk)}${hunk.lines.map(formatLine).join('')}`).join('');
}

/** A part of a unified diff. */
export interface DiffPart {
  readonly text: string;
  /** Whether the end of the last hunk is left out, because it is longer than a part. */
  readonly isCut: boolean;
  /** The next hunk begins with this line of the newer text; null at the end. */
  readonly nextLine: number | null;
}

/** As many of a hunk's lines as fit. Of a single line too long for it, the beginning. */
function cutHunk(hunk: Hunk, maxChars: number): { readonly text: string; readonly isCut: boolean } {
  const start = formatStart(hunk);
  let text = start;
  for (const line of hunk.lines) {
    const next = formatLine(line);
    if (text.length + next.length > maxChars) {
      const beginning = next.slice(0, Math.max(0, maxChars - text.length)).replace(/[\ud800-\udbff]$/, '');
      return { text: text === start ? text + beginning : text, isCut: true };
    }
    text += next;
  }
  return { text, isCut: false };
}

/**
 * The hunks that begin with this line of the newer text or a later one, as many as fit; at least one, cut if need be.
 * @param maxChars UTF-16 units
 */
export function cutUnified(hunks: readonly Hunk[], fromLine: number, maxChars: number): DiffPart {
  let text = '';
  const wanted = hunks.filter(({ toLine }) => toLine >= fromLine);
  for (const [index, hunk] of wanted.entries()) {
    const part = cutHunk(hunk, maxChars - text.length);
    if (part.isCut && text !== '') return { text, isCut: false, nextLine: hunk.toLine };
    text += part.text;
    if (part.isCut) return { text, isCut: true, nextLine: wanted[index + 1]?.toLine ?? null };
  }
  return { text, isCut: false, nextLine: null };
}
