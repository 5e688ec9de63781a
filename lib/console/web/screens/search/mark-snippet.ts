export interface SnippetPart {
  /** Where it begins in the snippet. */
  readonly start: number;
  readonly text: string;
  readonly isMarked: boolean;
}

/**
 * Cuts a snippet where its marks begin and end.
 * @param highlights ranges of the snippet in UTF-16 code units, ascending, the end not included
 */
export function markSnippet(snippet: string, highlights: readonly (readonly number[])[]): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let done = 0;
  for (const [start = 0, end = 0] of highlights) {
    if (start > done) parts.push({ start: done, text: snippet.slice(done, start), isMarked: false });
    parts.push({ start, text: snippet.slice(start, end), isMarked: true });
    done = end;
  }
  if (done < snippet.length) parts.push({ start: done, text: snippet.slice(done), isMarked: false });
  return parts;
}
