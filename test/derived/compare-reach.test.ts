import assert from 'node:assert/strict';
import { Reach } from '../../lib/view/reach.js';
import { compareReach } from '../../lib/derived/compare-reach.js';
import type { ShownDocument } from '../../lib/derived/state.js';
import type { Location } from '../../lib/domain/location.js';
import type { DocumentFate, WantedDocument } from '../../lib/sidecar/tables/reached-table.js';

describe('a comparison with the reach', () => {
  it('wants all versions of what is new, and the later ones of what is shown', () => {
    const { moved, wanted } = compare({ x: shownAt('a/x', 2) }, { x: ['a/x', 5], y: ['a/y', 3] }) as Exclude<
      ReturnType<typeof compare>,
      string
    >;
    assert.deepEqual([moved, wanted], [[], ['1 a/x after 2', '2 a/y after 0']]);
  });

  it('remembers each place once at which the history has a document', () => {
    const shown = { x: shownAt('a/x', 1, 'a/w'), y: shownAt('a/y'), z: shownAt(null, 4, 'a/z') };
    const now = { x: ['a/w', 1], z: ['a/z', 5] } as const;
    assert.deepEqual(compare(shown, now, { y: deletedAt('a/v') }), {
      moved: ['x: a/x > a/w', 'y: a/y > '],
      wanted: ['2 a/z after 4'],
      documents: {
        x: shownAt('a/w', 1, 'a/w', 'a/x'),
        y: shownAt(null, 1, 'a/y'),
        z: shownAt('a/z', 5, 'a/z'),
      },
      live: 2,
    });
  });

  it('places what lives again without a new version', () => {
    assert.deepEqual((compare({ z: shownAt(null, 5) }, { z: ['a/z', 5] }) as { moved: string[] }).moved, ['z:  > a/z']);
  });

  it('says why a repository may not be served any more', () => {
    const shown = { x: shownAt('a/x') };
    assert.equal(compare(shown, {}, { x: { isLive: true } }), 'moved');
    assert.equal(compare(shown, {}, { x: { isLive: true } }, reachOf('b')), 'narrowed');
    assert.equal(compare(shown, {}, {}), 'erased');
    assert.equal(compare(shown, {}, { x: {} }), 'erased');
    assert.equal(compare(shown, {}, { x: deletedAt('b/x') }), 'narrowed');
    assert.equal(compare({ x: shownAt(null) }, {}, { x: deletedAt('b/x') }), 'narrowed');
    assert.equal(compare({ x: shownAt('a/x', 3) }, { x: ['a/x', 2] }), 'damaged');
    assert.equal(compare({ x: shownAt('a/x', 1, 'b/x') }, { x: ['a/x', 1] }), 'narrowed');
    assert.equal(compare({ x: shownAt('b/x') }, { x: ['a/x', 1] }), 'narrowed');
  });
});

const reachOf = (...folders: readonly string[]): Reach =>
  new Reach(new Map(folders.map((folder) => [folder as Location, 'reader'])), new Map());

const shownAt = (place: string | null, sequence = 1, ...formerPlaces: readonly string[]): ShownDocument => ({
  place: place as Location | null,
  sequence,
  formerPlaces: formerPlaces as Location[],
});

const deletedAt = (place: string) => ({ deletedAt: place as Location });

/** Compares what is shown with what lives now; other documents are looked up among the fates. */
function compare(
  shown: Readonly<Record<string, ShownDocument>>,
  now: Readonly<Record<string, readonly [place: string, sequence: number]>>,
  fates: Readonly<Record<string, Partial<DocumentFate>>> = {},
  reach = reachOf('a'),
) {
  const wanted: WantedDocument[] = [];
  const reached = Object.entries(now).map(([id, [place, sequence]], index) => ({
    id,
    number: index + 1,
    place: place as Location,
    sequence,
  }));
  const fateOf = (id: string): DocumentFate | undefined =>
    fates[id] === undefined ? undefined : { number: 99, isLive: false, deletedAt: null, ...fates[id] };
  const found = compareReach(new Map(Object.entries(shown)), {
    reach,
    reached,
    fateOf,
    want: (some) => wanted.push(...some),
  });
  if ('outdated' in found) return found.outdated;
  return {
    moved: found.displaced.map(({ id, from, to }) => `${id}: ${from ?? ''} > ${to ?? ''}`),
    wanted: wanted.map(({ number, place, after }) => `${number} ${place} after ${after}`),
    documents: Object.fromEntries(found.documents),
    live: found.live,
  };
}
