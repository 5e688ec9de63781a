/**
 * Searches texts by callers for words by callers. For words that nearly match everywhere, the engine's own search takes
 * the product of the two lengths. The search here takes time in proportion to their sum, for any content, and pauses on
 * the way.
 */

/** The engine searches for so many units: their number bounds its cost at each place of the text. */
const probeLength = 6;
/** Units of a text between two pauses. */
const unitsBetweenPauses = 65_536;

/**
 * The first places of `pattern` in `text`, overlapping ones too, in order.
 * @param pattern at least one unit
 * @param from the first place that counts
 * @param most stops after so many
 */
export function* findForwards(text: string, pattern: string, from: number, most: number): Generator<void, number[]> {
  const probe = pattern.slice(0, probeLength);
  const places: number[] = [];
  // The first few units distinguish most words. Where they do not, comparing soon costs more than the table.
  let compared = 0;
  for (let at = text.indexOf(probe, from); at >= 0 && places.length < most; at = text.indexOf(probe, at + 1)) {
    if (pattern === probe || text.startsWith(pattern, at)) places.push(at);
    if (pattern !== probe) compared += pattern.length;
    if (compared > text.length) return yield* matchAll(text, pattern, at + 1, 1, places, most);
  }
  return places;
}

/**
 * The last places of `pattern` in `text`, overlapping ones too, the last one first.
 * @param pattern at least one unit
 * @param from the last place that counts
 * @param most stops after so many
 */
export function* findBackwards(text: string, pattern: string, from: number, most: number): Generator<void, number[]> {
  const probe = pattern.slice(0, probeLength);
  const places: number[] = [];
  let compared = 0;
  for (let next = from; next >= 0 && places.length < most;) {
    const at = text.lastIndexOf(probe, next);
    if (at < 0) break;
    if (pattern === probe || text.startsWith(pattern, at)) places.push(at);
    if (pattern !== probe) compared += pattern.length;
    next = at - 1;
    if (compared > text.length) return yield* matchAll(text, pattern, next, -1, places, most);
  }
  return places;
}

/** The sought pattern, with the failure table of Knuth, Morris and Pratt: it says where a match can still go on. */
interface Sought {
  /** 1 reads forwards, -1 pattern and text from their ends. */
  readonly step: 1 | -1;
  /** The pattern's units, in reading order. */
  readonly units: Uint16Array;
  readonly failures: Int32Array;
}

function seek(pattern: string, step: 1 | -1): Sought {
  const { length } = pattern;
  const units = new Uint16Array(length);
  for (let index = 0; index < length; index += 1) {
    units[index] = pattern.charCodeAt(step === 1 ? index : length - 1 - index);
  }
  const failures = new Int32Array(length);
  for (let index = 1, matched = 0; index < length; index += 1) {
    while (matched > 0 && units[index] !== units[matched]) matched = failures[matched - 1] ?? 0;
    if (units[index] === units[matched]) matched += 1;
    failures[index] = matched;
  }
  return { step, units, failures };
}

/**
 * Reads the text from one unit up to, not with, another.
 * @param matched units of the pattern that stand right before
 * @param places gets the places found
 * @returns how many stand right before the end
 */
function scan(
  text: string,
  { step, units, failures }: Sought,
  from: number,
  to: number,
  matched: number,
  places: number[],
  most: number,
): number {
  const { length } = units;
  let count = matched;
  for (let index = from; index !== to;) {
    if (text.charCodeAt(index) === units[count]) {
      count += 1;
      index += step;
    } else if (count === 0) index += step;
    else count = failures[count - 1] ?? 0;
    if (count < length) continue;
    places.push(step === 1 ? index - length : index + 1);
    if (places.length >= most) return 0;
    count = failures[length - 1] ?? 0;
  }
  return count;
}

/** Adds to `places` those from `from` on: it reads each unit of the text twice at most. */
function* matchAll(
  text: string,
  pattern: string,
  from: number,
  step: 1 | -1,
  places: number[],
  most: number,
): Generator<void, number[]> {
  const sought = seek(pattern, step);
  const end = step === 1 ? text.length : -1;
  let matched = 0;
  for (let at = step === 1 ? from : Math.min(text.length, from + pattern.length) - 1; (end - at) * step > 0;) {
    const stop = step === 1 ? Math.min(end, at + unitsBetweenPauses) : Math.max(end, at - unitsBetweenPauses);
    matched = scan(text, sought, at, stop, matched, places, most);
    if (places.length >= most) break;
    at = stop;
    yield;
  }
  return places;
}
