import assert from 'node:assert/strict';
import type { Location } from '../../lib/domain/location.js';
import { languageCodes, openStemmer } from '../../lib/search/languages/open-stemmer.js';
import { openLanguages, type LanguageCode } from '../../lib/search/languages/languages.js';
import { analyzeDocument } from '../../lib/search/analysis/analyze-document.js';
import { IndexOf, snippetFrom } from './index-of.js';

/** A sentence in each language, and a search for it. */
const sentences: Readonly<Record<string, readonly [string, readonly string[]]>> = {
  'english.md': ['Employees may take parental leave after six months.', ['employee', 'parental leave', 'month']],
  'german.md': [
    'Für die Straßenbahn gilt der Fahrkostenzuschuß nicht.',
    ['strassenbahn', 'Straßenbahn', 'FAHRKOSTENZUSCHUSS', 'fur'],
  ],
  'french.md': ['L’été, les congés payés s’ajoutent à l’ancienneté.', ['ete', 'congés', 'anciennete']],
  'spanish.md': ['La añada del vino depende del otoño y del médico.', ['otoño', 'otono', 'medico']],
  'russian.md': ['Договор подписан; ещё нужен перевод.', ['договор', 'ДОГОВОР', 'еще']],
  'chinese.md': ['员工手册规定了年假的天数。', ['年假', '员工手册', '天数', '假']],
  'japanese.md': ['東京都の社員はリモートワークができます。', ['社員', 'リモート', 'ワーク', '京都の']],
  'korean.md': ['회사의 휴가 규정을 읽어 주세요.', ['휴가', '규정']],
  'arabic.md': ['العَقْدُ مُوَقَّع', ['العقد', 'موقع']],
  'greek.md': ['Ο λόγος του Οδυσσέα', ['λογος', 'ΟΔΥΣΣΈΑ']],
  'thai.md': ['พนักงานลาพักร้อนได้', ['พักร้อน', 'พนักงาน']],
};

describe('search: languages', () => {
  for (const [location, [, queries]] of Object.entries(sentences)) {
    it(`finds ${location.replace('.md', '')} words as they are written, in any case and with or without diacritics`, async () => {
      const of = new IndexOf(Object.fromEntries(Object.entries(sentences).map(([name, [text]]) => [name, text])));
      for (const query of queries) assert.equal((await of.find(query))[0], location, query);
    });
  }
});

/** A word in a document, and the same word in another inflection, in a search. */
const inflected: Readonly<Partial<Record<LanguageCode, readonly (readonly [string, string])[]>>> = {
  en: [
    ['the contracts were signed', 'contract signing'],
    ['running costs', 'run cost'],
  ],
  de: [
    ['Alte Häuser am Markt', 'haus'],
    ['die Kündigungen der Verträge', 'kündigung'],
    ['zwei Straßen weiter', 'strasse'],
    ['mögliche Lösungen', 'LÖSUNG'],
  ],
  fr: [
    ['les règlements nationaux', 'national'],
    ['Nous avons mangé ensemble', 'manger'],
    ['des réunions', 'réunion'],
    ['une réunion', 'reunion'],
  ],
  es: [
    ['las informaciones recibidas', 'información'],
    ['la información', 'informacion'],
    ['los contratos firmados', 'contrato'],
    ['cantábamos', 'cantar'],
  ],
  ru: [
    ['Договоры подписаны', 'договор'],
    ['в новых домах', 'новый дом'],
    ['зелёная ёлка', 'елки'],
    ['о правилах отпусков', 'правило отпуска'],
  ],
  sv: [['flickorna vid sjön', 'flicka']],
  it: [['i ragazzi', 'ragazzo']],
};

describe('search: languages named by an admin', () => {
  for (const [code, pairs] of Object.entries(inflected) as [LanguageCode, readonly (readonly [string, string])[]][]) {
    it(`finds ${code} words in other forms, alone and beside other languages`, async () => {
      const beside = [...new Set<LanguageCode>(['en', code, 'de', 'ru'])];
      for (const [text, query] of pairs) {
        assert.deepEqual(await open([code], { 'a.md': text }).find(query), ['a.md'], query);
        assert.deepEqual(await open(beside, { 'a.md': text }).find(query), ['a.md'], query);
      }
    });
  }

  it('does not take one language for another where it was not named', async () => {
    assert.deepEqual(await open(['en'], { 'a.md': 'Alte Häuser' }).find('haus'), []);
    assert.deepEqual(await open(['de'], { 'a.md': 'the contracts signed' }).find('signing'), []);
  });

  it('keeps words that carry little in one language and a lot in another', async () => {
    const of = open(['en', 'de'], { 'a.md': 'They went to war and had to die.', 'b.md': 'Das war die Frage.' });
    assert.deepEqual((await of.find('war')).toSorted(), ['a.md', 'b.md']);
    assert.deepEqual(await of.find('+war +die -Frage'), ['a.md']);
  });

  it('reads a span of text in the languages that it shows, and in all where it shows none', async () => {
    const codes = ['en', 'de', 'fr', 'es', 'ru'] as const;
    const englishText =
      'The contracts were signed by the members of the board, and it was said at the meeting that all of them are to ' +
      'be kept in the archive for as long as there is one, with the letters that have come to us on this matter.';
    const germanText =
      'Die Häuser am Markt sind von der Stadt gekauft worden, und es wird nicht mehr als ein Jahr dauern, bis die ' +
      'Verträge für alle diese Häuser unterschrieben sind, wie es in dem Bericht an den Rat steht. Что нового в домах?';
    const read = (text: string, languages: readonly LanguageCode[]) =>
      analyzeDocument(
        { location: 'a.txt' as Location, text, kind: 'text', labels: [] },
        { languages: openLanguages(languages), vectors: null },
      );
    assert.deepEqual(
      [...read(`${englishText} `.repeat(9), codes).terms.keys()].filter((term) => term !== 'txt'),
      [...read(`${englishText} `.repeat(9), ['en']).terms.keys()].filter((term) => term !== 'txt'),
      'as English alone reads it',
    );
    const german = [...read(germanText, codes).terms.keys()];
    assert.ok(german.includes('haus') && german.includes('дом') && !german.includes('hauser'), german.join());
    const of = open(codes, {
      'a.md': `${englishText}\n\n${englishText}\n\n${germanText}\n\n${englishText}`,
      'b.md': 'Alte Häuser',
      'c.md': 'les règlements nationaux',
    });
    for (const [query, found] of [
      ['vertrag', ['a.md']],
      ['haus', ['b.md', 'a.md']],
      ['дом', ['a.md']],
      ['signing', ['a.md']],
      ['national', ['c.md']],
    ] as const) {
      assert.deepEqual((await of.find(query)).toSorted(), [...found].toSorted(), query);
    }
    assert.deepEqual(await of.find('"kept in the archive"'), ['a.md'], 'a phrase, with words that are left out');
  });

  it('shows the hit in its own form, checks phrases to the letter, and takes every operator', async () => {
    const of = open(['en', 'ru', 'de'], { 'a.md': 'Am Markt stehen alte Häuser.', 'b.md': 'Новые дома в городе.' });
    const shown = await snippetFrom(of.index, 'a.md' as Location, 'Am Markt stehen alte Häuser.', 'haus märkte');
    assert.deepEqual(
      shown.highlights.map(([start, end]) => shown.snippet.slice(start, end)),
      ['Markt', 'Häuser'],
    );
    assert.deepEqual(await of.find('"alte Häuser"'), ['a.md']);
    assert.deepEqual(await of.find('"alte Haus"'), []);
    assert.deepEqual(await of.find('"новые дома"'), ['b.md']);
    assert.deepEqual(await of.find('häus*'), ['a.md']);
    assert.deepEqual(await of.find('+häusern'), ['a.md']);
    assert.deepEqual(await of.find('-haus'), ['b.md', 'other.md']);
    assert.deepEqual(await of.find('markd~1'), ['a.md']);
  });

  it('makes the same of a text in a worker', async () => {
    const languages = openLanguages(['de', 'en']);
    const of = new IndexOf({}, { languages });
    const document = {
      location: 'a.md' as Location,
      text: 'Alte Häuser, new houses',
      kind: 'text',
      labels: [],
    } as const;
    const beside = await of.index.analyzeInWorker([document]);
    assert.deepEqual(new Uint8Array(beside.segment.buffer), new Uint8Array(of.index.analyze(document).segment.buffer));
    await of.index.close();
  });

  it('stems in every offered language, and leaves the reading of queries alone', async () => {
    for (const code of languageCodes) {
      if (code !== 'en') assert.notEqual(openStemmer(code)('organisationes').length, 0, code);
    }
    const of = open(['en', 'de'], { 'a.md': 'Alte Häuser' });
    assert.deepEqual(await of.find('+alte -neue häu* title:nichts'), ['a.md']);
  });

  const open = (codes: readonly LanguageCode[], texts: Readonly<Record<string, string>>): IndexOf =>
    new IndexOf({ 'other.md': 'nothing 123', ...texts }, { languages: openLanguages(codes) });
});
