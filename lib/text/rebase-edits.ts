import type { DocumentEdit } from './document-edit.js';
import { applyEdits, type EditedText, type EditRules } from './apply-edits.js';
import { placeLines, readOutlineInSteps, type Heading } from './outline.js';

/** The text for which edits were written, and what allows them to be made on a newer one. */
export interface EditBasis {
  readonly text: string;
  /** What the edits rely on in it. Undefined where its writer did not ask to follow newer texts. */
  readonly anchors: readonly string[] | undefined;
}

/**
 * Makes edits on a newer text than the one for which they were written. It does so in two cases only. Everything that
 * they rely on is as it was; or they change nothing but sections that no other writer may change, and these are as they
 * were.
 * @param held ids of the sections that the writer has claimed
 * @returns undefined where neither holds
 * @throws Refusal as `applyEdits` does for the newer text
 */
export function* rebaseEdits(
  basis: EditBasis,
  current: string,
  {
    edits,
    held,
    rules,
  }: { readonly edits: readonly DocumentEdit[]; readonly held: readonly string[]; readonly rules: EditRules },
): Generator<void, EditedText | undefined> {
  const anchors: string[] = [];
  const edited = yield* applyEdits(current, edits, rules, basis.anchors === undefined ? undefined : anchors);
  yield;
  if (basis.anchors !== undefined && areSame(basis.anchors, anchors)) return edited;
  return (yield* changesOnly(held, { expected: basis.text, current, edited: edited.text })) ? edited : undefined;
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** Whether only these sections differ between `current` and `edited`, and `expected` has them as `current` does. */
function* changesOnly(
  ids: readonly string[],
  { expected, current, edited }: { readonly expected: string; readonly current: string; readonly edited: string },
): Generator<void, boolean> {
  if (ids.length === 0) return false;
  const before = yield* takeOut(current, ids);
  const after = yield* takeOut(edited, ids);
  if (before === undefined || after?.rest !== before.rest) return false;
  const known = yield* takeOut(expected, ids);
  return [...after.sections].every(
    ([id, text]) => text === before.sections.get(id) || before.sections.get(id) === known?.sections.get(id),
  );
}

/** A text without some sections, and their texts by id. */
interface TakenOut {
  readonly rest: string;
  readonly sections: ReadonlyMap<string, string>;
}

/** @returns undefined where no section has one of the ids any more */
function* takeOut(text: string, ids: readonly string[]): Generator<void, TakenOut | undefined> {
  const wanted = new Set(ids);
  const found = (yield* readOutlineInSteps(text)).filter(({ id }) => wanted.has(id));
  yield;
  if (found.length < wanted.size) return undefined;
  const sections = new Map<string, string>();
  const rest: string[] = [];
  let from = 0;
  let last: Heading | undefined;
  for (const heading of found) {
    const { start, stop } = yield* placeLines(text, heading);
    const section = text.slice(start, stop).trimEnd();
    sections.set(heading.id, section);
    // A section in another one goes with it.
    if (last !== undefined && heading.line <= last.lastLine) continue;
    rest.push(text.slice(from, start), heading.id);
    from = start + section.length;
    last = heading;
  }
  // No text holds U+0000, so the parts cannot run into each other.
  return { rest: [...rest, text.slice(from)].join('\0'), sections };
}
