import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { openLanguages } from '../../lib/search/languages/languages.js';
import { makeRandom } from '../support/faults/load.js';
import { everything, folders as reachOf, IndexOf } from './index-of.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { countOf } from '../support/counts.js';

const rounds = countOf('FOLDER_HISTORIES', { usual: 60, campaign: 3000 });

describe('search: folders', () => {
  const world = (): IndexOf =>
    new IndexOf({
      'plans/2026/budget.md': 'money',
      'eng/release plans/steps.md': 'ship it',
      'eng/plan/old/a.md': 'old',
      'eng/runbooks/plan.md': 'a document is no folder',
      'sales.md': 'plans are in here',
    });

  it('are found by the words of their own names, the nearest names first', async () => {
    const of = world();
    assert.deepEqual(await named(of, 'plan'), ['plans', 'eng/plan', 'eng/release plans']);
    assert.deepEqual(await named(of, 'releases plan'), ['eng/release plans']);
    assert.deepEqual(await named(of, 'runbook'), ['eng/runbooks']);
    assert.deepEqual(await named(of, 'eng runbooks'), []);
    assert.deepEqual(await named(of, 'the plan'), await named(of, 'plan'));
  });

  it('are at most three', async () => {
    const of = new IndexOf(
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}/plans/x.md`, 'x'])),
    );
    assert.deepEqual(await named(of, 'plans'), ['a/plans', 'b/plans', 'c/plans']);
  });

  it('are found by the beginning of the last word while it is typed', async () => {
    const of = world();
    assert.deepEqual(await named(of, 'runb', everything, true), ['eng/runbooks']);
    assert.deepEqual(await named(of, 'release pla', everything, true), ['eng/release plans']);
    assert.deepEqual(await named(of, 'runb'), []);
    assert.deepEqual(await named(of, 'ru', everything, true), []);
    assert.deepEqual(await named(of, 'runb ', everything, true), []);
  });

  it('are found in other forms of their words, in the languages of the index', async () => {
    const of = new IndexOf({ 'Новые документы/a.md': 'x' }, { languages: openLanguages(['ru']) });
    for (const query of ['новый', 'новый документ']) assert.deepEqual(await named(of, query), ['Новые документы']);
  });

  it('are not sought for a query with operators', async () => {
    const of = world();
    for (const query of ['"plans"', '+plans', '-plans', 'plan*', 'title:plans', 'plans~1', 'folder:plans']) {
      assert.deepEqual(await named(of, query), [], query);
    }
  });

  it('are found under their present names after renames and moves, in or out of other folders', async () => {
    const of = world();
    of.rename('eng/plan', 'eng/drafts');
    assert.deepEqual(await named(of, 'plan'), ['plans', 'eng/release plans']);
    assert.deepEqual(await named(of, 'draft'), ['eng/drafts']);
    assert.deepEqual(await named(of, 'old'), ['eng/drafts/old']);
    of.rename('eng', 'engineering');
    assert.deepEqual(await named(of, 'draft'), ['engineering/drafts']);
    assert.deepEqual(await named(of, 'runbook'), ['engineering/runbooks']);
    assert.deepEqual(await named(of, 'eng'), []);
    of.rename('engineering/runbooks/plan.md', 'engineering/guides/plan.md');
    assert.deepEqual(await named(of, 'runbook'), []);
    assert.deepEqual(await named(of, 'guides'), ['engineering/guides']);
  });

  it('without a live document are not found', async () => {
    const of = world();
    of.remove('eng/runbooks/plan.md');
    assert.deepEqual(await named(of, 'runbook'), []);
  });

  it('are found only where something in them is in reach', async () => {
    const of = world();
    assert.deepEqual(await named(of, 'plan', reachOf('eng')), ['eng/plan', 'eng/release plans']);
    assert.deepEqual(await named(of, 'eng', reachOf('eng/plan')), ['eng']);
    const one = { everything: false, folders: [], documents: ['plans/2026/budget.md' as Location] };
    assert.deepEqual(await named(of, 'plan', one), ['plans']);
    assert.deepEqual(await named(of, '2026', one), ['plans/2026']);
    assert.deepEqual(await named(of, 'plan', reachOf('nowhere')), []);
  });

  it('narrow a search to documents in a folder of that name, or out of them', async () => {
    const of = world();
    assert.deepEqual((await of.find('folder:plans')).sort(), [
      'eng/plan/old/a.md',
      'eng/release plans/steps.md',
      'plans/2026/budget.md',
    ]);
    assert.deepEqual(await of.find('folder:plans folder:eng ship'), ['eng/release plans/steps.md']);
    assert.deepEqual(await of.find('folder:"release plan"'), ['eng/release plans/steps.md']);
    assert.deepEqual((await of.find('-folder:plans')).sort(), ['eng/runbooks/plan.md', 'sales.md']);
    assert.deepEqual((await of.find('folder:eng -folder:plan')).sort(), ['eng/runbooks/plan.md']);
    assert.deepEqual(await of.find('money folder:eng'), []);
    assert.deepEqual(await of.find('+money -folder:eng'), ['plans/2026/budget.md']);
    assert.deepEqual(await of.find('folder:--'), await of.find('folder --'));
  });

  it('equal those of a walk over all locations, in random histories of writes, renames and moves', async function () {
    this.timeout(30_000 + rounds * 200);
    const chance = makeRandom('folders');
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
    const names = ['plan', 'plans 2026', 'old notes', 'notes', 'x', 'kb-1'];
    const folder = (): string => Array.from({ length: Math.floor(chance() * 4) }, () => pick(names)).join('/');
    let found = 0;
    for (let round = 0; round < rounds; round += 1) {
      const of = new IndexOf({}, { firstTier: 400 });
      let count = 0;
      for (let change = 0; change < 40; change += 1) {
        const live = [...of.texts.keys()];
        const kind = chance();
        const at = folder();
        const prefix = at === '' ? '' : `${at}/`;
        if (kind < 0.6 || live.length === 0)
          of.write(`${prefix}d${(count += 1)}.md`, pick(['money', 'ship money', 'old']));
        else if (kind < 0.7) of.remove(pick(live));
        else if (kind < 0.8) {
          const from = pick(live);
          const to = `${prefix}${from.slice(from.lastIndexOf('/') + 1)}`;
          if (!of.texts.has(to)) of.rename(from, to);
        } else {
          const from = pick(live).split('/').slice(0, -1).join('/');
          const to = `${prefix}${pick(names)} ${change}`;
          if (from !== '' && !`${to}/`.startsWith(`${from}/`)) of.rename(from, to);
        }
      }
      const live = [...of.texts.keys()];
      if (live.length === 0) continue;
      const reach = pick<SearchReach>([
        everything,
        reachOf(pick(live).split('/').slice(0, 2).join('/')),
        { everything: false, folders: [], documents: [pick(live), pick(live)] as Location[] },
      ]);
      const inReach = live.filter((location) => isReached(reach, location)).sort();
      for (const word of ['plan', 'notes', '2026', 'kb']) {
        assert.deepEqual(await named(of, word, reach), nearest(inReach, word), `round ${round}`);
        const begun = word.slice(0, 3);
        assert.deepEqual(
          await named(of, begun, reach, true),
          begun.length < 3 ? nearest(inReach, begun) : nearest(inReach, begun, beginsWord),
          `round ${round} ${begun}`,
        );
        for (const [sign, isThere] of [
          ['', true],
          ['-', false],
        ] as const) {
          const wanted = inReach.filter(
            (location) => foldersOf(location).some((each) => hasWord(each, word)) === isThere,
          );
          const hits = await of.find(`${sign}folder:${word}`, { reach, limit: 100 });
          assert.deepEqual(hits.sort(), wanted, `round ${round} ${sign}folder:${word}`);
          found += wanted.length;
        }
      }
    }
    assert.ok(found > rounds);
  });
});

async function named(of: IndexOf, query: string, reach = everything, isPartial = false): Promise<string[]> {
  const { folders } = await of.index.search({ reach, query, limit: 10, isPartial });
  return [...folders];
}

function isReached({ everything: all, folders, documents }: SearchReach, location: string): boolean {
  return all || folders.some((each) => location.startsWith(`${each}/`)) || documents.includes(location as Location);
}

function foldersOf(location: string): string[] {
  const names = location.split('/');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
}

const wordsOf = (folder: string): string[] => (folder.split('/').at(-1) ?? '').split(/[ -]/);

function hasWord(folder: string, word: string): boolean {
  return wordsOf(folder).some((each) => each.replace(/s$/, '') === word.replace(/s$/, ''));
}

function beginsWord(folder: string, beginning: string): boolean {
  return wordsOf(folder).some((each) => each.startsWith(beginning));
}

function nearest(locations: readonly string[], word: string, isNamed = hasWord): string[] {
  const folders = [...new Set(locations.flatMap(foldersOf))].filter((each) => isNamed(each, word));
  const depth = (folder: string): number => folder.split('/').length;
  return folders
    .sort((a, b) => wordsOf(a).length - wordsOf(b).length || depth(a) - depth(b) || (a < b ? -1 : 1))
    .slice(0, 3);
}
