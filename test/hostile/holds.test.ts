import assert from 'node:assert/strict';
import { foldSignInName } from '../../lib/access/identities.js';
import type { DocumentEdit } from '../../lib/text/document-edit.js';
import { findBackwards, findForwards } from '../../lib/text/find-exact.js';
import { countHidden, findHidden, findUnfit } from '../../lib/domain/hidden-characters.js';
import { flattenLineEnds } from '../../lib/text/line-ends.js';
import { numberLines } from '../../lib/text/line-number.js';
import { faultOfLocation, faultOfNewLocation, type Location } from '../../lib/domain/location.js';
import { readOutlineInSteps } from '../../lib/text/outline.js';
import { PassageFinder } from '../../lib/text/passage.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { maxHeaderLength } from '../../lib/domain/short-header.js';
import { decodeForeignCommit } from '../../lib/git/sources/foreign-commit.js';
import { applyEdits } from '../../lib/text/apply-edits.js';
import { parseComment } from '../../lib/operations/comments/add-comment.js';
import { parseLabels, parseMediaType, parseMessage } from '../../lib/operations/documents/content.js';
import { cutText } from '../../lib/text/cut-text.js';
import { IgnoreRules } from '../../lib/text/ignore-rules.js';
import { findNearestLines } from '../../lib/text/find-nearest-lines.js';
import { parseDisplayName } from '../../lib/operations/principals/parse-name.js';
import { findPlace } from '../../lib/text/find-place.js';
import { rebaseEdits } from '../../lib/text/rebase-edits.js';
import { runAtOnce } from '../../lib/scheduling/in-steps.js';
import { maxFollowed } from '../../lib/operations/documents/edit-document.js';
import { makeShortDiff } from '../../lib/text/short-diff.js';
import { nameDownload } from '../../lib/api/answers/name-download.js';
import { chooseForm } from '../../lib/api/requests/take-body.js';
import { parseRange } from '../../lib/api/requests/parse-range.js';
import { parseParameters } from '../../lib/api/requests/parse-target.js';
import { shortText } from '../../lib/indexing/analyze-documents.js';
import { analyzeDocument } from '../../lib/search/analysis/analyze-document.js';
import { checkPhrases } from '../../lib/search/query/check-phrases.js';
import { findTitle } from '../../lib/search/analysis/find-title.js';
import { english, forgetLanguages, openLanguages } from '../../lib/search/languages/languages.js';
import { languageCodes } from '../../lib/search/languages/open-stemmer.js';
import { makeSnippet } from '../../lib/search/ranking/make-snippet.js';
import { parseQuery } from '../../lib/search/query/parse-query.js';
import { findVariants } from '../../lib/search/query/vary-spelling.js';
import { nameBrowser } from '../../lib/signin/browser-name.js';
import { Cookies } from '../../lib/signin/cookies.js';
import { readSections } from '../../lib/changes/read-sections.js';
import { parseCommitMessage } from '../../lib/history/trailers.js';
import { readBearer } from '../../lib/workspace/recognise-key.js';
import { measureHold, type Work } from '../support/processes/measure-hold.js';
import { shapes } from '../support/texts/shapes.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

/** Milliseconds of processor time for which one request may keep the others waiting. */
const limit = 50;
const document = 1024 * 1024;
/** The most that the server takes as one header, before our code reads it. */
const header = 32 * 1024;
const name = 'a.md' as Location;

/** All readers of callers' texts on the main thread, each with the longest text that it gets. */
const readers: Readonly<Record<string, readonly [length: number, Reader]>> = {
  'an If-Match header': [header, (text) => parsePrecondition(text, 'If-Match')],
  'an Authorization header': [header, (text) => readBearer(`Bearer ${text}`)],
  'a Content-Type header': [maxHeaderLength, (text) => chooseForm({ 'content-type': text }, ['json'])],
  'a Range header': [maxHeaderLength, (text) => parseRange(text, 1000)],
  'a Cookie header': [header, (text) => new Cookies(true).read(text, 'x')],
  'a User-Agent header': [header, (text) => nameBrowser(text)],
  'a query string': [header, (text) => parseParameters(encodeURI(text).slice(0, header), () => [])],
  'a location': [1024, (text) => faultOfLocation(text)],
  'a location that is much too long': [document, (text) => faultOfLocation(text)],
  'a new name': [1024, (text) => faultOfNewLocation(text)],
  'the name of a download': [255, (text) => nameDownload(text.replaceAll(/[\ud800-\udfff]/g, ''), 'text/plain')],
  'a media type': [64 * 1024, (text) => parseMediaType(`text/plain;${text}`)],
  'the message of a version': [64 * 1024, (text) => parseMessage(text)],
  'a comment': [64 * 1024, (text) => parseComment(text)],
  labels: [64 * 1024, (text) => parseLabels([text])],
  'a display name': [64 * 1024, (text) => parseDisplayName(text)],
  'a sign-in name': [64 * 1024, (text) => foldSignInName(text)],
  'a line that others go by': [8000, (text) => findHidden(text)],
  'a text that is sent to others': [8000, (text) => findUnfit(text)],
  'a search': [2000, (text) => parseQuery(text)],
  'a search in fifteen languages': [2000, (text) => parseQuery(text, 'operators', openLanguages(languageCodes))],
  'the title of a document': [16 * 1024, (text) => findTitle(text, name)],
  'a title in front matter': [
    2000,
    (text, words) => [
      findTitle(`---\ntitle: ${text}\n---\n`, name),
      findTitle(`---\ntitle: "${words(1990)}"\n---\n`, name),
    ],
  ],
  'a title in front matter of brackets': [
    2000,
    (text) =>
      ['[', '{a: ', '? ', '- ', '&a ', '>\n ', '"\\u0041'].map((piece) =>
        findTitle(`---\ntitle: ${piece.repeat(500)}${text}\n---\n`, name),
      ),
  ],
  'a short document, for search': [shortText, (text) => analyze(text, ['en'])],
  'a short document, for search in fifteen languages': [shortText, (text) => analyze(text, languageCodes)],
  'the words of a phrase': [
    document,
    (text, words) => checkPhrases(name, text, phrasesOf(`${words(500)} zz`), () => null),
  ],
  'a snippet': [document, (text, words) => makeSnippet(name, text, parseQuery(words(500), 'plain'))],
  'a snippet of a chunk': [
    document,
    (text, words) =>
      makeSnippet(name, text, parseQuery(words(500), 'plain'), english, { chunkStart: text.length - 8000 }),
  ],
  'a snippet of a phrase': [document, (text, words) => makeSnippet(name, text, parseQuery(`"${words(490)} zz"`))],
  'the place of a snippet at the end of a long document': [
    document,
    (text) => findPlace(text.repeat(10), 10 * text.length, true),
  ],
  'the outline of a document': [document, (text) => readOutlineInSteps(text)],
  'the sections of a document': [document, (text) => readSections(text.split('\n', 10_000).join('\n'))?.find('a')],
  'the lines of a document': [document, (text) => numberLines(text)],
  'a part of a document': [document, (text) => cutText(text, { startLine: 1, startColumn: 1, maxChars: 60_000 })],
  'characters that are hidden in what is read': [60_000, (text) => countHidden(text)],
  'the ends of lines': [document, (text) => flattenLineEnds(text)],
  'a quoted passage': [document, (text, words) => findQuote(text, `${words(999)}!`)],
  'a quoted passage that is there': [
    document,
    (text) => findQuote(text, text.slice(document / 2, document / 2 + 1000)),
  ],
  'words, forwards': [document, (text, words) => findForwards(text, `!${words(999)}`, 0, 200)],
  'words, backwards': [document, (text, words) => findBackwards(text, `${words(999)}!`, text.length, 200)],
  'an edit': [
    document,
    (text, words) => edit(text, { op: 'replace_text', oldText: words(4000), newText: 'x', count: 1 }),
  ],
  'an edit in another Unicode form': [
    document / 2,
    (text) => edit(`${text}!e\u0301`, { op: 'replace_text', oldText: '!é', newText: text, count: 1 }),
  ],
  'an edit of many places in another Unicode form': [
    document / 2,
    (text) => edit('e\u0301 '.repeat(900), { op: 'replace_text', oldText: 'é', newText: text, count: 900 }),
  ],
  'an edit at the end': [document, (text) => edit(text, { op: 'append', newText: 'x' })],
  'an edit of a section': [document, (text) => edit(text, { op: 'append_to_section', section: 'a', newText: 'x' })],
  'what an edit relies on': [
    document,
    (text, words) => edit(text, { op: 'replace_text', oldText: words(20), newText: 'x', count: 1000 }, []),
  ],
  'what an edit of a section relies on': [
    document,
    (text) => edit(text, { op: 'replace_section', section: 'a', newText: 'x' }, []),
  ],
  'an edit that moves to a newer text': [document, (text) => move(text)],
  // In a transaction it cannot pause.
  'an edit that moves in a transaction': [
    maxFollowed.bytes / 3,
    (text) => void runAtOnce(move(text.split('\n', maxFollowed.lines / 3).join('\n'))),
  ],
  'the lines nearest to an edit': [document, (text, words) => findNearestLines(text, words(4000))],
  'what an edit changed': [document, (text, words) => makeShortDiff(text, words(document - 1))],
  'a commit of a foreign repository': [
    document / 4,
    (text) => decodeForeignCommit(Buffer.from(`author ${text}\n\n${text}`)),
  ],
  'a .gitignore': [
    64 * 1024,
    (text) => new IgnoreRules(text.replaceAll(/[^]{999}/g, '$&\n')).judge(text.slice(0, 1000), false),
  ],
  'a pattern of stars': [
    500,
    (text, words) => new IgnoreRules(Array.from(words(500)).join('*')).judge(text.repeat(2).slice(0, 1000), false),
  ],
  'the message of a commit': [document, (text) => parseCommitMessage(`${text}\n\n${text}\n`)],
};

const rules = { isMarkdown: true, longest: 2 * document };

describe('No request waits for a hostile text', () => {
  for (const [what, [length, read]] of Object.entries(readers)) {
    it(`read as ${what}`, () => {
      for (const [shape, make] of Object.entries(shapes)) {
        const words = remembering(make);
        const text = words(length);
        const hold = measureHold(
          answering(() => read(text, words)),
          limit,
        );
        assert.ok(hold < limit, `${shape}: others wait for ${hold.toFixed(0)} ms`);
      }
    }).timeout(120_000);
  }

  it('or for the variants of misspelt words, in any language', () => {
    for (const codes of [['en'], languageCodes] as const) {
      const hold = measureHold(() => misspell(codes), limit);
      assert.ok(hold < limit, `${codes.length} languages: others wait for ${hold.toFixed(0)} ms`);
    }
  });
});

const alphabet = 'abcdefghijklmnopqrst';

/** Reads a hostile text of the admitted length, with words of the same shape; a generator where it can yield. */
type Reader = (text: string, words: (length: number) => string) => unknown;

function analyze(text: string, codes: typeof languageCodes): unknown {
  // As many bytes as are looked at on the spot.
  const cut = Buffer.from(text).subarray(0, shortText).toString();
  const languages = openLanguages(codes);
  return analyzeDocument({ location: name, text: cut, kind: 'text', labels: [] }, { languages, vectors: null });
}

/** Misspelt words in a query that has too many of them, in one with as many as it takes, and in one word. */
function* misspell(codes: typeof languageCodes): Generator<void, void> {
  const languages = openLanguages(codes);
  forgetLanguages();
  const words = Array.from({ length: 20 }, (_, place) => 'kolvindamertaruspelogif'.slice(place % 5) + alphabet[place]);
  for (const misspelt of [words.join('~1 '), words.slice(0, 4).join('~1 '), words.join('_')]) {
    yield;
    try {
      yield* findVariants(parseQuery(`${misspelt}~1`, 'operators', languages), languages);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

function phrasesOf(query: string) {
  return [{ words: query.split(' ').filter((word) => word !== ''), isProhibited: false, fields: 0b1111, terms: [] }];
}

function findQuote(text: string, quote: string): Generator<void, unknown> {
  return new PassageFinder(text).find({ text: quote, before: 'x', after: '', start: document / 2 });
}

function edit(text: string, of: DocumentEdit, anchors?: string[]): Generator<void, unknown> {
  return applyEdits(text, [of], rules, anchors);
}

/** By the holder of a section's claim, which reads the most. */
function move(text: string): Generator<void, unknown> {
  const edits = [{ op: 'append_to_section', section: 'a', newText: 'x' }] as const;
  return rebaseEdits({ text, anchors: [] }, `# a\n\n${text}`, { edits, held: ['a'], rules });
}

/** Makes each text once: to make one is the work of the test, and takes longer than to read it. */
function remembering(make: (length: number) => string): (length: number) => string {
  const made = new Map<number, string>();
  return (length) => {
    const text = made.get(length) ?? make(length);
    made.set(length, text);
    return text;
  };
}

/** A refusal is an answer as well. */
function answering(work: Work): Work {
  return function* () {
    try {
      const begun = work();
      if (typeof begun === 'object' && begun !== null && 'next' in begun) yield* begun as Generator<void, unknown>;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  };
}
