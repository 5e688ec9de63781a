import { everyField } from '../segments/posting.js';
import type { Query } from '../query/parse-query.js';
import { toDirection, type WordVectors } from './word-vectors.js';

/**
 * Where a query points. Undefined where it insists on anything (a word that must or must not be there, a phrase, a
 * field, a pattern), which meaning knows nothing of, and where none of its words is known.
 */
export function findMeaning({ clauses, phrases }: Query, vectors: WordVectors): Int8Array | undefined {
  if (phrases.length > 0) return undefined;
  const sums = new Int32Array(vectors.dimensions);
  for (const { presence, fields, terms } of clauses) {
    if (presence !== 'optional' || fields !== everyField) return undefined;
    for (const term of terms) {
      if (term.type === 'exact') vectors.add(term.term, sums);
      else if (term.type === 'any') vectors.add(term.terms[0] ?? '', sums);
      else return undefined;
    }
  }
  return toDirection(sums);
}
