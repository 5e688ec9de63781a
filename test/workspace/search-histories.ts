/**
 * Random histories of a whole workspace, with several writers at once, and the right answers of its search afterwards.
 */
import assert from 'node:assert/strict';
import type { DocumentKind } from '../../lib/domain/document.js';
import { joinLocation, nameOf, parseFolderLocation, parseLocation, type Location } from '../../lib/domain/location.js';
import { setLabels } from '../../lib/operations/documents/change-labels.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { eraseDocument } from '../../lib/operations/documents/erase-document.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { restoreVersion } from '../../lib/operations/documents/restore-version.js';
import { openVectors } from '../../lib/search/meaning/open-vectors.js';
import { ownVectors } from '../../lib/search/meaning/word-vectors.js';
import type { SearchReach } from '../../lib/search/reachable.js';
import { SearchIndex, type SearchPage } from '../../lib/search/search-index.js';
import { locationOfFolder } from '../../lib/view/locate.js';
import { keysFor } from '../../lib/indexing/index-event.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { outcomeOf, type Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';

/** Sentences in the languages that histories switch between; some words are spelled alike in two. */
const sentences = [
  'The contracts were signed before the harbour opened.',
  'Timber and grain leave the harbour in boats.',
  'Alte Häuser stehen am Markt, die Verträge gelten.',
  'Zwei Straßen weiter war die Kündigung.',
  'Les règlements nationaux ont été signés hier.',
  'La información sobre los contratos firmados.',
  'Новые договоры подписаны в старых домах.',
  '员工手册规定了年假的天数。',
  '東京都の社員はリモートワークができます。',
  // Read otherwise in Markdown, in HTML and as plain text.
  'See [the boats](quayside) and <b title="gangway">more</b>.',
];

/** Queries: words in other forms, operators, phrases, patterns, and words of meaning. */
export const questions = [
  'contract',
  'signing harbour',
  'cargo ships',
  'haus',
  'verträge straße',
  'national règlement',
  'informacion contrato',
  'договор дом',
  '年假 天数',
  '社員 リモート',
  '+harbour -grain',
  'har* vert*',
  'kundigungg~1',
  '"am Markt"',
  '"年假的"',
  'title:harbour label:draft',
  '-contract',
  'one two',
  'quayside gangway',
];

export const policies = [['en'], ['en', 'de'], ['de'], ['en', 'de', 'fr', 'ru'], ['es', 'ru'], ['en', 'fr']];

const folders = ['', 'a', 'a/b', 'a/b/c', 'd', 'a-b', 'e/f'];
const names = ['one.md', 'two.md', 'harbour.md', 'three.txt', 'four.html', '東京.md'];

export type Chance = () => number;

export function choose<Item>(chance: Chance, items: readonly Item[]): Item {
  return items[Math.floor(chance() * items.length)] as Item;
}

function someText(chance: Chance): string {
  // Equal contents are common, so that only its number tells a document from another in its place.
  if (chance() < 0.4) return choose(chance, sentences.slice(0, 2));
  const some = Array.from({ length: 1 + Math.floor(chance() * 4) }, () => choose(chance, sentences)).join('\n\n');
  // Longer ones are taken apart in a worker, while others go on.
  const text = chance() < 0.1 ? `${some}\n`.repeat(120) : some;
  return chance() < 0.5 ? `# ${choose(chance, sentences)}\n\n${text}` : text;
}

/** One request with any outcome: many are refused, since others were quicker. */
export async function doAnything(workspace: Workspace, actor: Actor, chance: Chance): Promise<void> {
  const place = (): string => {
    const folder = choose(chance, folders);
    return `${folder}${folder === '' ? '' : '/'}${choose(chance, names)}`;
  };
  const folder = (): string => choose(chance, folders.slice(1));
  const at = (text: string) => ({ location: parseLocation(text) });
  const requests: readonly (() => Promise<unknown>)[] = [
    () => actor.create(place(), someText(chance)),
    () => actor.create(place(), someText(chance)),
    () => actor.create(place(), someText(chance)),
    () => actor.update(place(), someText(chance)),
    () => actor.update(place(), someText(chance)),
    () => actor.delete(place()),
    () => actor.undelete(place()),
    () => actor.rename(place(), choose(chance, names), true),
    () => actor.rename(folder(), choose(chance, ['b', 'c', 'd', 'g']), true),
    () => actor.move(place(), choose(chance, folders), true),
    () => actor.move(folder(), choose(chance, folders), true),
    () => perform(workspace, actor.caller, setLabels, { ...at(place()), labels: chance() < 0.5 ? ['draft'] : [] }),
    () => perform(workspace, actor.caller, deleteFolder, at(folder())),
    () => perform(workspace, actor.caller, undeleteFolder, at(folder())),
    () => importSome(workspace, actor, choose(chance, folders), chance),
    () => restoreAny(workspace, actor, place()),
  ];
  await outcomeOf(choose(chance, requests)());
}

/** More files than are followed together, in one commit. */
async function importSome(workspace: Workspace, actor: Actor, into: string, chance: Chance): Promise<void> {
  const name = Math.floor(chance() * 1000);
  const files = Array.from({ length: chance() < 0.1 ? 300 : 5 }, (_, index) => ({
    location: parseLocation(`${into}${into === '' ? '' : '/'}many-${name}/${index}.md`),
    content: { bytes: Buffer.from(choose(chance, sentences)) },
  }));
  await perform(workspace, actor.caller, importDocuments, { into: parseFolderLocation(into), files, message: null });
}

async function restoreAny(workspace: Workspace, actor: Actor, place: string): Promise<void> {
  const document = allDocuments(workspace).find(({ location }) => location === place);
  const first = document === undefined ? undefined : workspace.journal.reader.versions.bySequence(document.number, 1);
  if (first === undefined) return;
  const input = { location: parseLocation(place), versionId: first.id, message: null };
  await perform(workspace, actor.caller, restoreVersion, input);
}

/** Hides something for good; its words go in the background. */
export async function eraseAny(workspace: Workspace, actor: Actor, chance: Chance): Promise<void> {
  const documents = allDocuments(workspace);
  if (documents.length === 0) return;
  const { location } = choose(chance, documents);
  const documentId = workspace.view(actor.caller).document(location)?.id ?? '';
  const input = { location, confirmation: nameOf(location), documentId };
  await outcomeOf(perform(workspace, actor.caller, eraseDocument, input));
}

interface LiveDocument {
  readonly number: number;
  readonly location: Location;
  readonly blobOid: string;
  readonly kind: DocumentKind;
  readonly labels: readonly string[];
}

/** The live documents of the sidecar. */
export function allDocuments(workspace: Workspace): LiveDocument[] {
  const { reader } = workspace.journal;
  return reader.documents.afterNumber(0, 10_000).map(({ number, folder, name, current }) => ({
    number,
    location: joinLocation(locationOfFolder(reader, folder), name),
    blobOid: current.blobOid,
    kind: current.kind,
    labels: reader.labels.of(number),
  }));
}

/** An index made of the present documents in one go. */
async function buildAnew(workspace: Workspace): Promise<SearchIndex> {
  const { index } = workspace.search;
  const documents = allDocuments(workspace);
  const byNumber = new Map(documents.map((document) => [document.number, document]));
  const anew = SearchIndex.create({
    folder: null,
    languages: index.languages,
    readText: async (number) => {
      const document = byNumber.get(number);
      if (document === undefined || document.kind !== 'text') return null;
      return (await workspace.objects.readBlob(document.blobOid)).toString('utf8');
    },
  });
  if (index.ranksByMeaning) {
    anew.useVectors(openVectors(ownVectors));
    anew.startRevision();
    anew.endRevision();
  }
  const texts = documents.map(async ({ location, blobOid, kind, labels }) => {
    const text = kind === 'text' ? (await workspace.objects.readBlob(blobOid)).toString('utf8') : null;
    return { location, text, kind, labels };
  });
  const analysis = anew.analyze(...(await Promise.all(texts)));
  anew.apply({ commit: 'now', upserts: [{ analysis, keys: keysFor(analysis, documents as never) }] });
  return anew;
}

const reaches: readonly SearchReach[] = [
  { everything: true, folders: [], documents: [] },
  { everything: false, folders: ['a' as Location, 'd' as Location], documents: ['one.md' as Location] },
  { everything: false, folders: ['a/b' as Location], documents: ['d/two.md' as Location] },
];

/** Pages of one hit show all parts of the scores. */
async function ask(index: Pick<SearchIndex, 'search'>, reach: SearchReach, query: string): Promise<SearchPage[]> {
  const pages: SearchPage[] = [];
  let position: SearchPage['position'] = null;
  do {
    const page: SearchPage = await index.search({ reach, query, limit: pages.length === 0 ? 1 : 20, position });
    pages.push(page);
    position = page.position;
  } while (position !== null);
  return pages;
}

/** The workspace's search answers like an index made of the present documents, in every figure. @returns hits */
export async function compareWithNew(workspace: Workspace, what: string): Promise<number> {
  const anew = await buildAnew(workspace);
  let hits = 0;
  for (const reach of reaches) {
    for (const query of questions) {
      const pages = await ask(workspace.search, reach, query);
      assert.deepEqual(pages, await ask(anew, reach, query), `${what}: ${query}`);
      hits += pages.reduce((sum, page) => sum + page.hits.length, 0);
    }
  }
  await anew.close();
  return hits;
}

export function changeSearchPolicy(workspace: Workspace, chance: Chance): Promise<unknown> {
  const change = chance() < 0.6 ? { searchLanguages: choose(chance, policies) } : { searchByMeaning: chance() < 0.6 };
  return perform(workspace, operator, changePolicy, change);
}
