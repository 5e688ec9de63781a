import { holdsPhrases, maxPhraseText } from '../query/check-phrases.js';
import type { Phrase } from '../query/parse-query.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { SearchOptions } from '../query/search-options.js';
import type { SearchHit } from '../query/search-request.js';

export interface Picking {
  /** Hits of a page. */
  readonly limit: number;
  readonly phrases: readonly Phrase[];
  readonly readText: SearchOptions['readText'];
  /** Returns the hit with its current location. */
  readonly present: (hit: SearchHit) => SearchHit;
}

/**
 * The hits of one page among the candidates, in their order: those with the requested phrases. It ends early, with a
 * shorter page, when more than enough text has been read for it.
 * @returns the hits, and how many candidates were examined for them
 */
export async function pickHits(
  candidates: readonly SearchHit[],
  { limit, phrases, readText, present }: Picking,
): Promise<{ hits: SearchHit[]; examined: number }> {
  const hits: SearchHit[] = [];
  let examined = 0;
  let characters = 0;
  for (const candidate of candidates) {
    if (hits.length === limit || characters > maxPhraseText) break;
    examined += 1;
    if (phrases.length > 0) {
      const text = (await readText(candidate.key, candidate.location)) ?? '';
      characters += text.length;
      if (!(await runCooperatively(holdsPhrases(candidate.location, text, phrases)))) continue;
    }
    hits.push(present(candidate));
  }
  return { hits, examined };
}
