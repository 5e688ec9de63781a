import { everyField } from '../segments/posting.js';
import type { Query } from '../query/parse-query.js';
import { toDirection, type WordVectors } from './word-vectors.js';

/**
 * The direction of a query. Undefined where none of its words is known, and where it has a condition beyond meaning: a
 * required or prohibited word, a phrase, a field, a pattern.
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
