import { checkPhrases, maxPhraseText } from '../query/check-phrases.js';
import type { Phrase } from '../query/parse-query.js';
import type { Span } from '../analysis/shown-text.js';
import { Rests } from '../../scheduling/rests.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { SearchOptions } from '../query/search-options.js';
import type { SearchHit } from '../query/search-request.js';

/** A text is opened for a fraction of the work that it takes to split it into words. */
const costOfOpening = 16;

export interface Picking {
  /** Hits of a page. */
  readonly limit: number;
  readonly phrases: readonly Phrase[];
  readonly readText: SearchOptions['readText'];
  /** Where in the text of a candidate a phrase can stand; null for a whole text. */
  readonly windowsOf: (place: number, phrase: Phrase) => readonly Span[] | null;
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
  { limit, phrases, readText, windowsOf, present }: Picking,
): Promise<{ hits: SearchHit[]; examined: number }> {
  const hits: SearchHit[] = [];
  let examined = 0;
  let characters = 0;
  // A text that is at hand gives others no turn, however many there are.
  const rests = new Rests();
  for (const [place, candidate] of candidates.entries()) {
    let hit = candidate;
    if (hits.length === limit || characters > maxPhraseText) break;
    examined += 1;
    if (phrases.length > 0) {
      if (rests.isDue) await rests.take();
      const text = (await readText(candidate.key, candidate.location)) ?? '';
      const work = checkPhrases(candidate.location, text, phrases, (phrase) => windowsOf(place, phrase));
      const { areHeld, start, read } = await runCooperatively(work);
      characters += read + Math.ceil(text.length / costOfOpening);
      if (!areHeld) continue;
      if (start !== undefined) hit = { ...candidate, chunkStart: start };
    }
    hits.push(present(hit));
  }
  return { hits, examined };
}
