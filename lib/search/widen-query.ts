import { compareText } from '../domain/location.js';
import type { Query } from './parse-query.js';
import type { WidenedTerm } from './rank-documents.js';

/** Words that the query leaves open are widened by their neighbours; what it insists on is not. */
export function widenQuery({ clauses }: Query, neighboursOf: (term: string) => readonly WidenedTerm[]): WidenedTerm[] {
  const own = new Set<string>();
  for (const { terms } of clauses) for (const term of terms) if (term.type === 'exact') own.add(term.term);
  const widened = new Map<string, WidenedTerm>();
  for (const { presence, terms } of clauses) {
    const [term] = terms;
    if (presence !== 'optional' || terms.length !== 1 || term?.type !== 'exact') continue;
    for (const neighbour of neighboursOf(term.term)) {
      if (neighbour.term.type !== 'exact' || own.has(neighbour.term.term)) continue;
      const known = widened.get(neighbour.term.term);
      if (known === undefined || known.weight < neighbour.weight) widened.set(neighbour.term.term, neighbour);
    }
  }
  return [...widened.values()].sort((a, b) => compareText(nameOfTerm(a), nameOfTerm(b)));
}

function nameOfTerm({ term }: WidenedTerm): string {
  return term.type === 'exact' ? term.term : '';
}
