/** The quality of rankings: measures, and their collections. */
import fs from 'node:fs';
import path from 'node:path';

export interface Collection {
  readonly documents: readonly { readonly id: string; readonly title: string; readonly text: string }[];
  readonly queries: readonly { readonly id: string; readonly text: string }[];
  /** Gains by document, by query. */
  readonly judgements: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/**
 * A folder of the SciFact collection in BEIR's form (`corpus.jsonl`, `queries.jsonl`, `qrels.tsv`), which is not part
 * of the project. `CARTULARY_SCIFACT` names it; else it is `data/scifact` in the project or in a folder beside it.
 */
function findSciFact(): string | undefined {
  const named = process.env['CARTULARY_SCIFACT'];
  if (named !== undefined) return path.resolve(named);
  const neighbours = fs.readdirSync('..').map((name) => path.join('..', name));
  const folders = ['.', '..', ...neighbours].map((folder) => path.resolve(folder, 'data', 'scifact'));
  return folders.find((folder) => fs.existsSync(path.join(folder, 'corpus.jsonl')));
}

/**
 * Claims and abstracts of SciFact; undefined where they are absent. @throws Error when the variable names a place
 * without them
 */
export function readSciFact(): Collection | undefined {
  const folder = findSciFact();
  if (folder === undefined) return undefined;
  const readLines = (file: string): string[] => fs.readFileSync(path.join(folder, file), 'utf8').trim().split('\n');
  const parse = (line: string): { id: string; title: string; text: string } => {
    const { _id: id, title = '', text } = JSON.parse(line) as { _id: string; title?: string; text: string };
    return { id, title, text };
  };
  const judgements = new Map<string, Map<string, number>>();
  for (const line of readLines('qrels.tsv').slice(1)) {
    const [query = '', document = '', gain] = line.split('\t');
    const gains = judgements.get(query) ?? new Map<string, number>();
    judgements.set(query, gains.set(document, Number(gain)));
  }
  return {
    documents: readLines('corpus.jsonl').map(parse),
    queries: readLines('queries.jsonl').map(parse),
    judgements,
  };
}

/** Normalised discounted cumulative gain of the first ten (Järvelin and Kekäläinen 2002). */
export function ndcgAt10(found: readonly string[], gains: ReadonlyMap<string, number>): number {
  const discounted = (list: readonly number[]): number =>
    list.slice(0, 10).reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
  const best = [...gains.values()].sort((a, b) => b - a);
  return discounted(found.map((id) => gains.get(id) ?? 0)) / discounted(best);
}

export function recallAt(count: number, found: readonly string[], gains: ReadonlyMap<string, number>): number {
  return found.slice(0, count).filter((id) => gains.has(id)).length / gains.size;
}

/** Git's manual as Debian's package git-doc brings it; undefined where it isn't installed. */
export function readGitManual(): ReadonlyMap<string, string> | undefined {
  const folder = '/usr/share/doc/git/html';
  if (!fs.existsSync(path.join(folder, 'git-bisect.txt'))) return undefined;
  const texts = new Map<string, string>();
  for (const inner of ['', 'howto', 'technical']) {
    for (const name of fs.readdirSync(path.join(folder, inner)).sort()) {
      const file = path.join(inner, name);
      if (name.endsWith('.txt')) texts.set(file, fs.readFileSync(path.join(folder, file), 'utf8'));
    }
  }
  return texts;
}

export interface Question {
  readonly question: string;
  readonly answer: string;
}

export function readQuestions(): readonly Question[] {
  return JSON.parse(fs.readFileSync(path.resolve('test/search/questions.json'), 'utf8')) as Question[];
}

/** One over the answer's place, 0 beyond the tenth. */
export function reciprocalRank(found: readonly string[], answer: string): number {
  const place = found.slice(0, 10).indexOf(answer);
  return place < 0 ? 0 : 1 / (place + 1);
}
