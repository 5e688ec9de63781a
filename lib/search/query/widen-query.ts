import { compareText } from '../../domain/location.js';
import type { Query, QueryTerm } from './parse-query.js';
import type { WidenedTerm } from '../ranking/rank-documents.js';

/** Words that the query leaves open are widened by their neighbours; what it insists on is not. */
export function widenQuery({ clauses }: Query, neighboursOf: (term: string) => readonly WidenedTerm[]): WidenedTerm[] {
  const own = new Set<string>();
  for (const { terms } of clauses) for (const term of terms) for (const each of namedTerms(term)) own.add(each);
  const widened = new Map<string, WidenedTerm>();
  for (const { presence, terms } of clauses) {
    const [only] = terms;
    if (presence !== 'optional' || terms.length !== 1 || only === undefined) continue;
    const [named] = namedTerms(only);
    if (named === undefined) continue;
    for (const neighbour of neighboursOf(named)) {
      if (neighbour.term.type !== 'exact' || own.has(neighbour.term.term)) continue;
      const known = widened.get(neighbour.term.term);
      if (known === undefined || known.weight < neighbour.weight) widened.set(neighbour.term.term, neighbour);
    }
  }
  return [...widened.values()].sort((a, b) => compareText(nameOfTerm(a), nameOfTerm(b)));
}

/** That of English first; none for a pattern. */
function namedTerms(term: QueryTerm): readonly string[] {
  return term.type === 'exact' ? [term.term] : term.type === 'any' ? term.terms : [];
}

function nameOfTerm({ term }: WidenedTerm): string {
  return term.type === 'exact' ? term.term : '';
}
