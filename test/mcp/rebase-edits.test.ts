import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { DocumentEdit } from '../../lib/text/document-edit.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { applyEdits } from '../../lib/text/apply-edits.js';
import { rebaseEdits } from '../../lib/text/rebase-edits.js';
import { countOf, seedOf } from '../support/counts.js';

const rules = { isMarkdown: true, longest: 1024 * 1024 };
const runs = countOf('REBASES', { usual: 2000, campaign: 100_000 });
const seed = seedOf(20261122);

/** Few words, so that edits meet each other and themselves. */
const words = ['one', 'two', 'three', 'four', 'five', 'six'];
const sections = ['a', 'b', 'c', 'd'];
const line = fc.constantFrom(...words, '', '- one', '- two');
const document = fc
  .array(fc.tuple(fc.constantFrom('#', '##', '###'), fc.constantFrom(...sections), fc.array(line, { maxLength: 5 })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((parts) => parts.map(([marks, title, lines]) => `${marks} ${title}\n\n${lines.join('\n')}\n\n`).join(''));
const newText = fc.constantFrom('new', 'newer\nwords', 'one', '');
const anyEdit: fc.Arbitrary<DocumentEdit> = fc.oneof(
  fc.record({
    op: fc.constant('replace_text' as const),
    oldText: fc.constantFrom(...words, 'one\ntwo', '\n\n', '## a'),
    newText,
    count: fc.constantFrom(1, 1, 2),
  }),
  fc.record({
    op: fc.constantFrom(
      'replace_section' as const,
      'append_to_section' as const,
      'insert_before_section' as const,
      'insert_after_section' as const,
    ),
    section: fc.constantFrom(...sections, 'a-1'),
    newText,
  }),
);

describe('Edits made on a newer text', function () {
  this.timeout(30_000 + runs * 5);
  it('take nothing away that another writer added, and bring nothing back that one removed', () => {
    let followed = 0;
    let refused = 0;
    fc.assert(
      fc.property(document, fc.array(anyEdit, { minLength: 1, maxLength: 2 }), anyEdit, (text, mine, theirs) => {
        const current = tryEdits(text, [theirs]);
        if (current === undefined) return;
        const both = follow(text, current, mine);
        if (both === undefined) {
          refused += 1;
          return;
        }
        followed += 1;
        // In the other order the same words stand in it, as often.
        const alone = tryEdits(text, mine);
        assert.ok(alone !== undefined);
        const tally = (one: string): Map<string, number> => {
          const counts = new Map<string, number>();
          for (const word of one.split(/\s+/)) counts.set(word, (counts.get(word) ?? 0) + 1);
          counts.delete('');
          return counts;
        };
        const [before, byMe, byThem, byBoth] = [text, alone, current, both].map(tally);
        for (const word of new Set([text, alone, current, both].flatMap((each) => each.split(/\s+/)))) {
          if (word === '') continue;
          const at = (counts: Map<string, number> | undefined): number => counts?.get(word) ?? 0;
          assert.equal(
            at(byBoth) - at(byThem),
            at(byMe) - at(before),
            `"${word}" of ${JSON.stringify([text, current, both])}`,
          );
        }
      }),
      { numRuns: runs, seed },
    );
    assert.ok(followed > runs / 20 && refused > runs / 20, `${followed} followed, ${refused} refused`);
  });

  it('are made on the text for which they were written, always', () => {
    fc.assert(
      fc.property(document, fc.array(anyEdit, { minLength: 1, maxLength: 3 }), (text, edits) => {
        const edited = tryEdits(text, edits);
        if (edited !== undefined) assert.equal(follow(text, text, edits), edited);
      }),
      { numRuns: runs / 4, seed },
    );
  });

  it('change for a holder nothing but the sections that it holds', () => {
    let followed = 0;
    fc.assert(
      fc.property(document, anyEdit, anyEdit, fc.constantFrom(...sections), (text, mine, theirs, held) => {
        const current = tryEdits(text, [theirs]);
        if (current === undefined) return;
        let both: string | undefined;
        try {
          const basis = { text, anchors: undefined };
          both = runAtOnce(rebaseEdits(basis, current, { edits: [mine], held: [held], rules }))?.text;
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
        }
        if (both === undefined) return;
        followed += 1;
        // The texts differ within one stretch, which begins below the heading of that section in both.
        let same = 0;
        while (both[same] === current[same]) same += 1;
        const title = current
          .slice(0, same)
          .match(/^#+ (.)$/gm)
          ?.findLast((each) => each.endsWith(` ${held}`));
        assert.ok(title !== undefined, `${held} of ${JSON.stringify([text, current, both])}`);
      }),
      { numRuns: runs, seed },
    );
    assert.ok(followed > runs / 100, `${followed} followed`);
  });
});

function tryEdits(text: string, edits: readonly DocumentEdit[], anchors?: string[]): string | undefined {
  try {
    return runAtOnce(applyEdits(text, edits, rules, anchors)).text;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}

function follow(
  text: string,
  current: string,
  edits: readonly DocumentEdit[],
  held: string[] = [],
): string | undefined {
  const anchors: string[] = [];
  if (tryEdits(text, edits, anchors) === undefined) return undefined;
  try {
    return runAtOnce(rebaseEdits({ text, anchors }, current, { edits, held, rules }))?.text;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
