/** Random histories of a workspace, scopes and queries; small words and few places, so that everything meets. */
import fc from 'fast-check';
import { isWithin, rebase, rootLocation, type Location } from '../../lib/domain/location.js';
import { isReadAlike, type SearchDocument } from '../../lib/search/analysis/analyze-document.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { forget } from './index-of.js';
import type { WordVectors } from '../../lib/search/meaning/word-vectors.js';
import type { SearchIndex } from '../../lib/search/search-index.js';
import type { OracleDocument } from './oracle.js';

const words = [
  'ada',
  'bell',
  'cell',
  'celling',
  'cellar',
  'ballad',
  'belt',
  'été',
  'данные',
  '東京都',
  'the',
  'walks',
  'b-12.3',
  '12.3',
  '3.12',
  'ada🎯',
  '€',
  '[ada](bell)',
  '<b>',
];
/** The same with marks of Markdown and HTML, in texts alone. */
const marked = ['ce*ll*', '**bell** be<b>lt</b>', '`ba*lla*d`', '\n\n```\nada ce*ll*ar\n```\n\n', '&eacute;t&eacute;'];
/** Words with other forms of themselves in other languages; enough of the small ones that a text shows its language. */
const foreign = [
  'häuser',
  'haus',
  'договоры',
  'договор',
  'nationaux',
  'national',
  'die',
  'und',
  'der',
  'les',
  'of',
  'and',
];
const folders = ['a', 'a/b', 'a/b/c', 'a-b', 'd', 'd/e', 'f0', 'ä', '𐀀'];
const names = ['one.md', 'two.txt', 'bell.md', 'celling.txt', 'cell.html', '東京.md'];
const labels = ['draft', 'final', 'bell'];

const text = fc
  .oneof(
    { weight: 3, arbitrary: fc.array(fc.constantFrom(...words, ...marked), { maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.array(fc.constantFrom(...words, ...marked, ...foreign, ...foreign), { maxLength: 40, size: 'max' }),
    },
  )
  .map((list) => list.join(' '));
const folder = fc.constantFrom(...folders) as fc.Arbitrary<Location>;
const location = fc
  .tuple(fc.constantFrom('', ...folders), fc.constantFrom(...names))
  .map(([where, name]) => (where === '' ? name : `${where}/${name}`) as Location);
const someLabels = fc.uniqueArray(fc.constantFrom(...labels), { maxLength: 2 });

export type Step =
  | {
      readonly type: 'write';
      readonly location: Location;
      readonly text: string | null;
      readonly labels: string[];
      readonly title: 'none' | 'heading' | 'front matter';
    }
  | { readonly type: 'delete'; readonly pick: number }
  | { readonly type: 'rename'; readonly pick: number; readonly to: Location }
  | { readonly type: 'carry'; readonly from: Location; readonly to: Location }
  | { readonly type: 'label'; readonly pick: number; readonly labels: string[] }
  | { readonly type: 'forget'; readonly pick: number }
  | { readonly type: 'revise' }
  | { readonly type: 'settle' }
  | { readonly type: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      location,
      text: fc.option(text, { freq: 8 }),
      labels: someLabels,
      title: fc.constantFrom('none', 'heading', 'front matter'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), pick: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('rename' as const), pick: fc.nat(), to: location }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('carry' as const), from: folder, to: folder }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('label' as const), pick: fc.nat(), labels: someLabels }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('forget' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant({ type: 'revise' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
);

export const history: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 25, maxLength: 80, size: 'max' });

export const reach: fc.Arbitrary<SearchReach> = fc.record({
  everything: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  folders: fc.uniqueArray(
    fc.oneof({ weight: 12, arbitrary: folder }, { weight: 1, arbitrary: fc.constant(rootLocation) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  documents: fc.uniqueArray(location, { maxLength: 6 }),
});

const bareWord = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...words, 'cells', 'bel', 'tokyo', '京', 'draft', 'one') },
  { weight: 1, arbitrary: fc.constantFrom(...foreign) },
);
const queryWord = fc.oneof(
  { weight: 6, arbitrary: bareWord },
  { weight: 1, arbitrary: bareWord.map((word) => `+${word}`) },
  { weight: 1, arbitrary: bareWord.map((word) => `-${word}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'cel*',
      'bel*',
      'ball*d',
      'c?l',
      'дан*',
      '-cel*',
      '+bel*',
      'häu*',
      'договор*',
      'national*',
      'walki*',
      'nationali*',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('cellr~1', 'belt~2', 'ballda~1', 'дание~1', 'hauser~1', 'natonal~1') },
  { weight: 1, arbitrary: bareWord.map((word) => `title:${word}`) },
  { weight: 1, arbitrary: bareWord.map((word) => `${word}^3`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"ada bell"',
      '-"ada bell"',
      '"the ada"',
      '"the"',
      '"the of"',
      '"cell"',
      '"東京"',
      '"bell md"',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'title:"ada bell"',
      '-title:"bell"',
      'path:"bell md"',
      'label:"draft"',
      '-label:"draft"',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('path:bell', 'label:bell', '10:30', 'ada-bell') },
);
export const query = fc.oneof(
  { weight: 15, arbitrary: fc.array(queryWord, { minLength: 1, maxLength: 4 }).map((list) => list.join(' ')) },
  // A question too long for a query.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...words, ...foreign), { minLength: 40, maxLength: 50 })
      .map((list) => list.join(' ')),
  },
);

export const filters = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        folder,
        labels: fc.subarray(['draft'], { maxLength: 1 }),
        kind: fc.constantFrom('text' as const, 'binary' as const),
      },
      { requiredKeys: [] },
    ),
  },
);

/** The workspace as it should be; also the index's source of texts. */
export class Workspace {
  readonly documents = new Map<Location, OracleDocument>();
  commits = 0;
  #keys = 0;

  textAt(location: Location): string | null {
    return this.documents.get(location)?.text ?? null;
  }

  reachedBy({ everything, folders: reachedFolders, documents }: SearchReach): OracleDocument[] {
    return [...this.documents.values()].filter(
      ({ location: at }) =>
        everything || documents.includes(at) || reachedFolders.some((each) => each !== at && isWithin(each, at)),
    );
  }

  /** Does the step to itself and to the index, as the owner of an index would. */
  async take(step: Step, index: SearchIndex, vectors: WordVectors | null, restart: () => Promise<void>): Promise<void> {
    this.commits += 1;
    const commit = String(this.commits);
    switch (step.type) {
      case 'write': {
        if (this.#isTaken(step.location)) return;
        const known = this.documents.get(step.location);
        const document: OracleDocument = {
          key: known?.key ?? (this.#keys += 1),
          location: step.location,
          text: step.text === null ? null : withTitle(step.text, step.title),
          kind: step.text === null ? 'binary' : 'text',
          labels: step.labels,
        };
        this.documents.set(step.location, document);
        return index.apply({
          commit,
          upserts: [{ analysis: index.analyze(toSearch(document)), keys: [document.key] }],
        });
      }
      case 'delete':
      case 'forget': {
        const document = this.#pick(step.pick);
        if (document === undefined) return;
        this.documents.delete(document.location);
        index.apply({ commit, removals: [document.location] });
        return step.type === 'forget' ? forget(index, document.key) : undefined;
      }
      case 'rename': {
        const document = this.#pick(step.pick);
        if (document === undefined || this.documents.has(step.to) || this.#isTaken(step.to)) return;
        this.#move(document.location, step.to);
        if (isReadAlike(document.location, step.to)) {
          return index.apply({ commit, renames: [{ from: document.location, to: step.to }] });
        }
        const analysis = index.analyze(toSearch({ ...document, location: step.to }));
        return index.apply({ commit, upserts: [{ analysis, keys: [document.key] }] });
      }
      case 'carry': {
        const isFree = ![...this.documents.keys()].some((at) => isWithin(step.to, at)) && !this.#isTaken(step.to);
        if (!isFree || isWithin(step.from, step.to) || isWithin(step.to, step.from)) return;
        this.#move(step.from, step.to);
        return index.apply({ commit, renames: [{ from: step.from, to: step.to }] });
      }
      case 'label': {
        const document = this.#pick(step.pick);
        if (document === undefined) return;
        this.documents.set(document.location, { ...document, labels: step.labels });
        return index.apply({ commit, relabels: [{ location: document.location, labels: step.labels }] });
      }
      case 'revise':
        if (vectors !== null) this.#revise(index, vectors);
        return;
      case 'settle':
        return index.settle();
      case 'restart':
        return restart();
    }
  }

  /** Turns meaning off and on again, with a write in between that no revision undoes. */
  #revise(index: SearchIndex, vectors: WordVectors): void {
    index.useVectors(null);
    index.useVectors(vectors);
    index.startRevision();
    const before = [...this.documents.values()];
    const [first] = before;
    if (first !== undefined) {
      const changed: OracleDocument = { ...first, text: 'ada cellar', kind: 'text' };
      this.documents.set(first.location, changed);
      const analysis = index.analyze(toSearch(changed));
      index.apply({ commit: String(this.commits), upserts: [{ analysis, keys: [first.key] }] });
    }
    for (let from = 0; from < before.length; from += 4) {
      const some = before.slice(from, from + 4);
      const analysis = index.analyze(...some.map(toSearch));
      const keys = analysis.locations.map((at) => some.find(({ location: own }) => own === at)?.key ?? 0);
      index.revise({ analysis, keys });
    }
    index.endRevision();
  }

  /** Whether a folder has the place of the location, or a document that of a folder above it. */
  #isTaken(location: Location): boolean {
    return [...this.documents.keys()].some(
      (at) => at !== location && (isWithin(location, at) || isWithin(at, location)),
    );
  }

  #pick(pick: number): OracleDocument | undefined {
    return [...this.documents.values()][pick % Math.max(1, this.documents.size)];
  }

  #move(from: Location, to: Location): void {
    for (const document of [...this.documents.values()].filter(({ location: at }) => isWithin(from, at))) {
      this.documents.delete(document.location);
      const moved = rebase(document.location, from, to);
      this.documents.set(moved, { ...document, location: moved });
    }
  }
}

function withTitle(content: string, title: 'none' | 'heading' | 'front matter'): string {
  if (title === 'none') return content;
  const line = content.replaceAll(/\s+/g, ' ');
  return title === 'heading' ? `# ${line}\n\n${content}` : `---\ntitle: ${line}\n---\nlast ${content}`;
}

export function toSearch({ location: at, text: content, kind, labels: own }: OracleDocument): SearchDocument {
  return { location: at, text: content, kind, labels: own };
}
