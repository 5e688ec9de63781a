import { readFile } from 'node:fs/promises';
import type { Coding } from '../http/choose-coding.js';

/** A file of the manual, in memory. */
export interface ManualFile {
  readonly mediaType: string;
  /** A strong validator, with its quotes. */
  readonly etag: string;
  readonly bytes: Uint8Array;
  readonly compressed: ReadonlyMap<Coding, Uint8Array>;
}

/** A section of a page, as the search shows it. */
export interface Section {
  /** From the folder of the manual: `agents#tools`. */
  readonly address: string;
  /** The title of its page. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** A word and the sections that have it, each followed by the word's weight there. */
export type IndexedWord = readonly [word: string, weights: readonly number[]];

/** What the build left. */
export interface BuiltManual {
  /** Files by the path of their address. A request is answered from these alone. */
  readonly files: ReadonlyMap<string, ManualFile>;
  /** The page of search results, with the marks `{{query}}` and `{{results}}`. */
  readonly resultsPage: string;
  readonly sections: readonly Section[];
  /** Sorted by their words. */
  readonly words: readonly IndexedWord[];
}

interface ListedFile {
  readonly address: string;
  readonly file: string;
  readonly mediaType: string;
  readonly etag: string;
  readonly isCompressed: boolean;
}

/** bin/build-manual.mjs writes it. The path starts at dist/lib/manual. */
const folder = new URL('../../docs/', import.meta.url);
const codings: readonly (readonly [string, Coding])[] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

const read = (name: string): Promise<Buffer> => readFile(new URL(name, folder));
const readJson = async <Value>(name: string): Promise<Value> => JSON.parse((await read(name)).toString()) as Value;

/**
 * Reads the manual.
 * @returns undefined where it was not built
 */
export async function readBuiltManual(): Promise<BuiltManual | undefined> {
  let listed: readonly ListedFile[];
  try {
    listed = await readJson<readonly ListedFile[]>('files.json');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const files = new Map<string, ManualFile>();
  for (const { address, file, mediaType, etag, isCompressed } of listed) {
    const compressed = new Map<Coding, Uint8Array>();
    for (const [end, coding] of isCompressed ? codings : []) compressed.set(coding, await read(`${file}${end}`));
    files.set(address, { mediaType, etag, bytes: await read(file), compressed });
  }
  return {
    files,
    resultsPage: (await read('results.html')).toString(),
    sections: await readJson('sections.json'),
    words: await readJson('words.json'),
  };
}
