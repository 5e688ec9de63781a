import fs from 'node:fs';
import { StaticVectors } from './static-vectors.js';
import { ownVectors, type WordVectors } from './word-vectors.js';

/** The data lies with the sources, and the build does not copy it. The path starts at dist/lib/search/meaning. */
const ownFile = new URL('../../../../lib/search/meaning/word-vectors.bin', import.meta.url);

let own: WordVectors | undefined;

/**
 * Reads some megabytes at the first call, so call it only where meaning is wanted.
 * @throws Error for an unknown name
 */
export function openVectors(name: string): WordVectors {
  if (name !== ownVectors) throw new Error(`There are no word vectors called ${name}.`);
  own ??= new StaticVectors(ownVectors, fs.readFileSync(ownFile));
  return own;
}
