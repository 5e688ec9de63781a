import assert from 'node:assert/strict';

/**
 * The values that differ between any two workspaces with the same history: random ids, the SHAs of commits and of the
 * objects that they name, sealed cursors and pages, and what is made of such values: the digests of a live stream, the ids of
 * changes. Fingerprints of content are the same in both, and covering them loses nothing.
 */
const random =
  /\b(?:(?:prn|grp|grt|req|clm|thr|cmt|msg|mth|rec)_[0-9a-z]{20}|doc_[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{40})\b|(?<="(?:next_cursor|page)":")[^"]+|(?<="(?:record|labels|claims|comments|entries|id)":")[\w-]{22}(?=")|(?<="credential":")[0-9a-z]{16}(?=")/g;

/**
 * Grants, and the people who gain or lose by a move, come in the order of random ids: here in the order of their other
 * fields.
 */
export function sortBySubject(json: string): string {
  if (!json.includes('"subject":')) return json;
  const wordsOf = (item: unknown): string => JSON.stringify(item).replace(random, '');
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => {
      const isSorted = !Array.isArray(value) || !value.some(hasSubject);
      return isSorted ? value : value.toSorted((a, b) => (wordsOf(a) < wordsOf(b) ? -1 : 1));
    }),
  );
}

/** A grant or the like names its subject by type and id; a message's subject is words. */
function hasSubject(item: unknown): boolean {
  return typeof (item as { readonly subject?: unknown } | null)?.subject === 'object';
}

/** Puts, for each random text, its kind, its length and the place of its first appearance among all answers. */
export function canonicalizeAnswers(answers: readonly string[]): string[] {
  const places = new Map<string, number>();
  return answers.map((answer) =>
    answer.replace(random, (text) => {
      const place = places.get(text) ?? places.size;
      places.set(text, place);
      return `<${/^(?:prn|grp|grt|req|clm|thr|cmt|msg|mth|rec|doc)_/.exec(text)?.[0] ?? ''}#${place} of ${text.length}>`;
    }),
  );
}

/**
 * Plays a scenario without and with its hidden actions; every answer has to be the same.
 * @returns the answers
 */
export async function requireSame(play: (withHidden: boolean) => Promise<readonly string[]>): Promise<string[]> {
  const [expected, actual] = [canonicalizeAnswers(await play(false)), canonicalizeAnswers(await play(true))];
  assert.equal(actual.length, expected.length);
  for (const [index, answer] of expected.entries()) assert.equal(actual[index], answer);
  return expected;
}
