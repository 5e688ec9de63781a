import { Extractor } from '../../lib/extraction/extractor.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf } from '../support/files/make-pdf.js';
import { authorization, type Effort } from './measure-core.js';
import type { Report } from './report.js';
import { makeDocument } from './search-corpus.js';
import { seed } from './seed.js';
import { startCartulary } from './start-server.js';

const rare = 'clause 17-B, as amended';

/** Searches inside texts, and the making of texts of files. */
export async function measureTexts(report: Report, { times }: Effort): Promise<void> {
  await measureExtraction(report, times === 1 ? 20 : 100);
  await measureInside(report, times === 1 ? 2000 : 20_000);
}

async function measureExtraction(report: Report, files: number): Promise<void> {
  const extractor = new Extractor();
  const pages = Array.from({ length: 20 }, (_, page) =>
    Array.from({ length: 40 }, (_, line) => `Page ${page}, line ${line}: ${makeDocument(line).text?.slice(0, 60)}`),
  );
  const kinds = {
    'PDF of 20 pages': [makePdf(pages), 'application/pdf', 'a.pdf'],
    'Word file of 20 pages': [makeDocx(wordText(...pages.flat())), 'application/octet-stream', 'a.docx'],
  } as const;
  try {
    for (const [name, [bytes, mediaType, file]] of Object.entries(kinds)) {
      const start = performance.now();
      for (let count = 0; count < files; count += 1) {
        await extractor.extract({ bytes, mediaType, name: file, writer: 'acme/ada' });
      }
      const took = (performance.now() - start) / files;
      report.add({ what: `text of a ${name}, ${bytes.length} bytes`, value: took, unit: 'ms' });
    }
  } finally {
    extractor.close();
  }
}

async function measureInside(report: Report, documents: number): Promise<void> {
  const among = `among ${documents.toLocaleString('en')} documents of 3 kB`;
  const book = Array.from({ length: 2600 }, (_, part) => `## Part ${part}\n\n${makeDocument(part).text}\n`).join('\n');
  const seeded = await seed(documents, {
    perFolder: 250,
    text: (number) => {
      if (number === documents - 1) return `${makeDocument(number).text}\n${rare}\n`;
      return number === 0 ? `${book}\n## The end\n\nA quokka sleeps.\n` : (makeDocument(number).text ?? '');
    },
  });
  const server = await startCartulary(seeded.dataFolder);
  const headers = authorization(seeded.key);
  const ask = async (path: string): Promise<{ items: readonly object[]; next_cursor: string | null }> => {
    const answer = await fetch(server.url + path, { headers });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as never;
  };
  const time = async (work: () => Promise<unknown>): Promise<number> => {
    const took: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const start = performance.now();
      await work();
      took.push(performance.now() - start);
    }
    return took.sort((a, b) => a - b)[2] ?? 0;
  };
  try {
    const add = (what: string, value: number, note?: string): void =>
      report.add({ what, value, unit: 'ms', ...(note === undefined ? {} : { note }) });
    add(
      'words at the end of a document of 8 MB, with their place',
      await time(() => ask('/v1/search?q=quokka&places=true')),
    );
    add('a phrase there', await time(() => ask('/v1/search?q=%22a+quokka+sleeps%22&places=true')));
    let pages = 0;
    const walk = async (): Promise<void> => {
      pages = 0;
      for (let cursor: string | null = ''; cursor !== null; pages += 1) {
        const q = encodeURIComponent(rare);
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        cursor = (await ask(`/v1/search/lines?match=exact&q=${q}${after}`)).next_cursor;
      }
    };
    const start = performance.now();
    await walk();
    add(`a rare text, character for character, ${among}, the first time`, performance.now() - start, `${pages} pages`);
    const took = await time(walk);
    add('another time', took, `${pages} pages`);
  } finally {
    await server.stop();
    await seeded.remove();
  }
}
