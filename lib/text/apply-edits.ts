import type { DocumentEdit, Splice } from './document-edit.js';
import { flattenLineEnds, shouldCarry, toRawOffset, type Flattened } from './line-ends.js';
import { invalidRequest, Refusal } from '../domain/refusal.js';
import type { RefusalDetails } from '../domain/refusal-details.js';
import { HeadingGuard } from './keep-headings.js';
import { locateEdit } from './locate-edit.js';
import { readAnchors } from './read-anchors.js';

export interface EditedText {
  readonly text: string;
  /** Number of places changed. */
  readonly replacements: number;
}

export interface EditRules {
  /** Whether the text has headings to protect. */
  readonly isMarkdown: boolean;
  /** Maximum of UTF-16 units of the text, at any time on the way. */
  readonly longest: number;
}

/**
 * Applies edits in order, each to the result of the one before; all or none. Edits are written with LF or CRLF, and the
 * document keeps its line ends. Pauses between steps, so that much work delays no other request. All of it together is
 * in proportion to the text and the number of edits.
 * @param anchors takes what the edits rely on, as `readAnchors` finds it; left out, it is not sought
 * @throws Refusal INVALID_REQUEST `no_match`, `ambiguous`, `no_such_section`, `section_ambiguous`, `heading_lost`,
 * `heading_doubled`, `content_too_large`, `no_change`; with `edit_index` where one edit is at fault
 */
export function* applyEdits(
  text: string,
  edits: readonly DocumentEdit[],
  rules: EditRules,
  anchors?: string[],
): Generator<void, EditedText> {
  let raw = text;
  let flat = flattenLineEnds(raw);
  let replacements = 0;
  yield;
  const guard = rules.isMarkdown ? yield* HeadingGuard.over(flat.text) : undefined;
  for (const [index, edit] of edits.entries()) {
    yield;
    const splices = yield* naming(index, locateEdit(flat.text, edit));
    requireRoom(raw, splices, rules.longest, index);
    if (anchors !== undefined) {
      for (const anchor of yield* readAnchors(flat.text, edit, splices, rules.isMarkdown)) anchors.push(anchor);
    }
    raw = splice(raw, flat, splices);
    yield;
    flat = flattenLineEnds(raw);
    yield;
    guard?.follow(splices);
    replacements += splices.length;
  }
  yield;
  if (guard !== undefined) yield* guard.check(flat.text);
  if (raw === text) throw invalidRequest('no_change', 'The edits leave the document as it is.');
  return { text: raw, replacements };
}

/** Adds the index of the refused edit to a refusal. */
function* naming<Result>(index: number, work: Generator<void, Result>): Generator<void, Result> {
  try {
    return yield* work;
  } catch (error) {
    if (!(error instanceof Refusal) || error.details === undefined) throw error;
    throw new Refusal(error.code, error.message, { details: { ...error.details, editIndex: index } as RefusalDetails });
  }
}

function requireRoom(raw: string, splices: readonly Splice[], longest: number, index: number): void {
  const grown = splices.reduce((sum, { start, end, words }) => sum + words.length - (end - start), raw.length);
  if (grown <= longest) return;
  throw invalidRequest('content_too_large', `The document would be longer than ${longest} bytes.`, {
    limit: longest,
    editIndex: index,
  });
}

function splice(raw: string, flat: Flattened, splices: readonly Splice[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, words } of splices) {
    const carries = shouldCarry(flat, start, end);
    pieces.push(raw.slice(from, toRawOffset(flat, start)), carries ? words.replaceAll('\n', '\r\n') : words);
    from = toRawOffset(flat, end);
  }
  pieces.push(raw.slice(from));
  return pieces.join('');
}
