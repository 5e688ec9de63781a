import assert from 'node:assert/strict';
import { IndexOf } from './index-of.js';

/** A sentence in each language, and what someone would look for. */
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
