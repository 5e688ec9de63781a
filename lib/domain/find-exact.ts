/** Below this product of lengths the engine's own search is quick whatever the texts are. */
const smallProduct = 4_000_000;

/** Where each place of the pattern that still matches leaves off: the failure table of Knuth, Morris and Pratt. */
function makeFailures(pattern: string): Int32Array {
  const failures = new Int32Array(pattern.length);
  for (let index = 1, matched = 0; index < pattern.length; index += 1) {
    const unit = pattern.charCodeAt(index);
    while (matched > 0 && unit !== pattern.charCodeAt(matched)) matched = failures[matched - 1] ?? 0;
    if (unit === pattern.charCodeAt(matched)) matched += 1;
    failures[index] = matched;
  }
  return failures;
}

/**
 * Every place where `pattern` stands in `text`, overlapping ones too, in order. Takes time in proportion to the two
 * lengths, whatever is in them: the engine's own search takes their product for a pattern that nearly matches
 * everywhere.
 * @param pattern at least one unit
 * @param most stops after so many
 */
export function findExact(text: string, pattern: string, most: number): number[] {
  const places: number[] = [];
  if (text.length * pattern.length <= smallProduct) {
    for (let at = text.indexOf(pattern); at >= 0 && places.length < most; at = text.indexOf(pattern, at + 1)) {
      places.push(at);
    }
    return places;
  }
  const failures = makeFailures(pattern);
  for (let index = 0, matched = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    while (matched > 0 && unit !== pattern.charCodeAt(matched)) matched = failures[matched - 1] ?? 0;
    if (unit === pattern.charCodeAt(matched)) matched += 1;
    if (matched < pattern.length) continue;
    places.push(index - pattern.length + 1);
    if (places.length >= most) break;
    matched = failures[matched - 1] ?? 0;
  }
  return places;
}
