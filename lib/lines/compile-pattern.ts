import { MatcherInput, RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';
import type { LineMatcher } from './line-query.js';

/** Characters of a pattern. */
const maxLength = 200;
/** Steps of the program that a pattern becomes. Each of them can be under way at each character of a window. */
const maxProgram = 128;

/** The engine's word for a match that may begin anywhere. */
const unanchored = 0;

/** Why a pattern is not taken. */
export class PatternFault extends Error {
  override readonly name = 'PatternFault';
  /** The character of the pattern, counted from 1. Null where it is no single place. */
  readonly position: number | null;

  constructor(message: string, position: number | null = null) {
    super(message);
    this.position = position;
  }
}

/** What asks for the character behind a match. More than these fit as well, which only leaves a match to the next window. */
const looksBehind = /\$|\\[bBz]/;

/**
 * Finds what fits an expression in the syntax of RE2. The engine takes time in proportion to the characters times the
 * steps of the program, whatever the expression (decision 0386).
 * @throws PatternFault
 */
export function compilePattern(sent: string): LineMatcher {
  const pattern = sent.normalize('NFC');
  if (pattern.length > maxLength) throw new PatternFault(`A pattern has at most ${maxLength} characters.`);
  const engine = compileBounded(pattern).re2();
  const mayLookBehind = looksBehind.test(pattern);
  const ask = (part: string, from: number, groups: 0 | 1): readonly number[] | undefined => {
    const answer = engine.matchMachineInput(MatcherInput.utf16(part), from, part.length, unanchored, groups);
    const [isFound, places] = answer as [boolean, number[] | null];
    return isFound ? (places ?? []) : undefined;
  };
  return {
    window: 2000,
    overlap: 200,
    find(line, start, end) {
      // The character before the window tells that no line or word begins there.
      const lead = start > 0 ? 1 : 0;
      const part = line.slice(start - lead, end);
      if (ask(part, lead, 0) === undefined) return undefined;
      const [from = 0, to = 0] = ask(part, lead, 1) ?? [];
      // Behind the window the line goes on: what seems to be its end, or that of a word, is none.
      if (to === part.length && end < line.length && mayLookBehind) return undefined;
      return { start: start - lead + from, end: start - lead + to };
    },
  };
}

/** @throws PatternFault */
function compileBounded(pattern: string): RE2JS {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) throw explain(error, pattern);
    if (error instanceof RE2JSException) throw new PatternFault(`The pattern cannot be used: ${error.message}.`);
    throw error;
  }
  const size = compiled.programSize();
  if (size <= maxProgram) return compiled;
  throw new PatternFault(
    `The pattern asks for too much: it becomes ${size} steps, and at most ${maxProgram} are taken.`,
  );
}

function explain({ error, input }: RE2JSSyntaxException, pattern: string): PatternFault {
  const part = input ?? '';
  const at = part === '' || part === pattern ? -1 : pattern.indexOf(part);
  if (at < 0) return new PatternFault(`The pattern is not in the syntax of RE2: ${error}.`);
  const position = Array.from(pattern.slice(0, at)).length + 1;
  return new PatternFault(
    `The pattern is not in the syntax of RE2: ${error}, as character ${position}: ${part}`,
    position,
  );
}
