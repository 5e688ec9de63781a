import { ownVectors, type WordVectors } from './word-vectors.js';

/** Loads what takes memory only when it is wanted. */
const known: Readonly<Record<string, () => Promise<{ readonly wordVectors: WordVectors }>>> = {
  [ownVectors]: () => import('./static-vectors.js'),
};

/** @throws Error for a name that no vectors have */
export async function openVectors(name: string): Promise<WordVectors> {
  const load = known[name];
  if (load === undefined) throw new Error(`There are no word vectors called ${name}.`);
  return (await load()).wordVectors;
}
