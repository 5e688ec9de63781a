import type { Steps } from '../scheduling/in-steps.js';

/** One line of a `.gitignore`. */
interface Rule {
  /** Its number in the file, from 1. */
  readonly line: number;
  /** Whether it takes back what an earlier line named. */
  readonly isNegative: boolean;
  readonly isForFolders: boolean;
  /** Whether it is compared with the last name alone. */
  readonly isForName: boolean;
  readonly matches: (text: string) => boolean;
}

/** A set of characters, and never a slash. */
interface CharacterClass {
  readonly has: (character: string) => boolean;
}

/**
 * A part of a pattern: one character; a class; any number of characters without a slash (`*`); any number of folders
 * (`**` and its slash); everything (`**` at the end).
 */
type Token = string | CharacterClass | typeof star | typeof folders | typeof everything;

const star = Symbol('*');
const folders = Symbol('**/');
const everything = Symbol('**');
const anyCharacter: CharacterClass = { has: () => true };

/** What a line says about a path. */
export interface Verdict {
  readonly isIgnored: boolean;
  readonly line: number;
}

/**
 * The lines of a `.gitignore`, as gitignore(5) reads them. Each line takes time in proportion to its length and the
 * path's, whatever it says: the text can be a stranger's.
 */
export class IgnoreRules {
  /** The last one first, because the last one decides. */
  readonly #rules: readonly Rule[];

  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, '').split('\n');
    this.#rules = lines.flatMap((line, index) => parseLine(line.replace(/\r$/, ''), index + 1)).toReversed();
  }

  /**
   * @param path below the folder of the file
   * @returns what the last line about it says; undefined where there is none
   */
  *judge(path: string, isFolder: boolean): Steps<Verdict | undefined> {
    const name = path.slice(path.lastIndexOf('/') + 1);
    for (const { line, isNegative, isForFolders, isForName, matches: isAbout } of this.#rules) {
      if (isForFolders && !isFolder) continue;
      if (isAbout(isForName ? name : path)) return { isIgnored: !isNegative, line };
      yield;
    }
    return undefined;
  }
}

function parseLine(text: string, line: number): Rule[] {
  let source = withoutTrailingSpaces(text);
  if (source === '' || source.startsWith('#')) return [];
  const isNegative = source.startsWith('!');
  if (isNegative) source = source.slice(1);
  const isForFolders = source.endsWith('/');
  if (isForFolders) source = source.slice(0, -1);
  const isForName = !source.includes('/');
  const pattern = parsePattern(source.startsWith('/') ? source.slice(1) : source);
  if (pattern === undefined || pattern.length === 0) return [];
  return [{ line, isNegative, isForFolders, isForName, matches: compile(pattern) }];
}

/** A space before which a backslash stands is kept. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ') end -= 1;
  let slashes = 0;
  while (text[end - 1 - slashes] === '\\') slashes += 1;
  return text.slice(0, slashes % 2 === 1 && end < text.length ? end + 1 : end);
}

/** Undefined for one that matches nothing: it ends within an escape or a class. */
function parsePattern(text: string): Token[] | undefined {
  const tokens: Token[] = [];
  const characters = Array.from(text);
  let isFirst = true;
  for (let at = 0; at < characters.length;) {
    const character = characters[at] ?? '';
    if (character === '*') {
      let end = at;
      while (characters[end] === '*') end += 1;
      // git compares what stands before the first wildcard by itself, so the first `**` always stands at a beginning.
      const isAlone = end - at > 1 && (isFirst || characters[at - 1] === '/');
      if (isAlone && end === characters.length) tokens.push(everything);
      else if (isAlone && characters[end] === '/') {
        tokens.push(folders);
        end += 1;
      } else if (tokens.at(-1) !== star) tokens.push(star);
      isFirst = false;
      at = end;
    } else if (character === '?') {
      tokens.push(anyCharacter);
      isFirst = false;
      at += 1;
    } else if (character === '[') {
      const parsed = parseClass(characters, at + 1);
      if (parsed === undefined) return undefined;
      tokens.push(parsed.token);
      isFirst = false;
      at = parsed.end;
    } else {
      if (character === '\\') {
        at += 1;
        isFirst = false;
      }
      const literal = characters[at];
      if (literal === undefined) return undefined;
      tokens.push(literal);
      at += 1;
    }
  }
  return tokens;
}

const namedClasses: Readonly<Record<string, (character: string) => boolean>> = {
  alnum: (character) => /^[a-z0-9]$/i.test(character),
  alpha: (character) => /^[a-z]$/i.test(character),
  blank: (character) => character === ' ' || character === '\t',
  cntrl: (character) => character < ' ' || character === '\x7f',
  digit: (character) => /^\d$/.test(character),
  graph: (character) => character > ' ' && character < '\x7f',
  lower: (character) => /^[a-z]$/.test(character),
  print: (character) => character >= ' ' && character < '\x7f',
  punct: (character) => character > ' ' && character < '\x7f' && !/^[a-z0-9]$/i.test(character),
  space: (character) => /^[ \t\n\v\f\r]$/.test(character),
  upper: (character) => /^[A-Z]$/.test(character),
  xdigit: (character) => /^[\da-f]$/i.test(character),
};

/** @param start behind the bracket. A bracket that closes at once is a character of the class */
function parseClass(
  characters: readonly string[],
  start: number,
): { readonly token: CharacterClass; readonly end: number } | undefined {
  const isNegated = characters[start] === '!' || characters[start] === '^';
  const first = isNegated ? start + 1 : start;
  const singles = new Set<string>();
  const tests: ((character: string) => boolean)[] = [];
  let before: string | undefined;
  let at = first;
  for (; at === first || characters[at] !== ']'; at += 1) {
    let character = characters[at];
    const next = characters[at + 1];
    if (character === '-' && before !== undefined && next !== undefined && next !== ']') {
      at += next === '\\' ? 2 : 1;
      const [from, to] = [before, characters[at]];
      if (to === undefined) return undefined;
      tests.push((one) => one >= from && one <= to);
      before = undefined;
      continue;
    }
    if (character === '[' && next === ':') {
      const close = characters.indexOf(']', at + 2);
      if (close === -1) return undefined;
      if (characters[close - 1] === ':' && close > at + 2) {
        const test = namedClasses[characters.slice(at + 2, close - 1).join('')];
        if (test === undefined) return undefined;
        tests.push(test);
        before = undefined;
        at = close;
        continue;
      }
    }
    if (character === '\\') {
      at += 1;
      character = characters[at];
    }
    if (character === undefined) return undefined;
    singles.add(character);
    before = character;
  }
  const includes = (one: string): boolean => singles.has(one) || tests.some((test) => test(one));
  return { token: { has: (one) => includes(one) !== isNegated }, end: at + 1 };
}

/** Makes the quickest test of whether a whole text matches. */
function compile(pattern: readonly Token[]): (text: string) => boolean {
  const [first, ...rest] = pattern;
  if (pattern.every((token) => typeof token === 'string')) {
    const literal = pattern.join('');
    return (text) => text === literal;
  }
  if (first === star && rest.every((token) => typeof token === 'string')) {
    const end = rest.join('');
    return (text) => text.endsWith(end) && !text.slice(0, text.length - end.length).includes('/');
  }
  return (text) => matches(pattern, text);
}

/**
 * Goes through the text once, with all places of the pattern that its beginning can have led to. The second half of the
 * places is within the name of a folder that `**` takes.
 */
function matches(pattern: readonly Token[], text: string): boolean {
  if (typeof pattern[0] === 'string' && !text.startsWith(pattern[0])) return false;
  const half = pattern.length + 1;
  let places = new Uint8Array(2 * half);
  let next = new Uint8Array(2 * half);
  enter(pattern, places, 0);
  for (const character of text) {
    next.fill(0);
    for (let place = 0; place < half; place += 1) {
      if (places[place] === 1) step(pattern, next, place, character);
      if (places[half + place] !== 1) continue;
      if (character === '/') enter(pattern, next, place);
      else next[half + place] = 1;
    }
    [places, next] = [next, places];
  }
  return places[pattern.length] === 1;
}

function step(pattern: readonly Token[], next: Uint8Array, place: number, character: string): void {
  const token = pattern[place];
  if (token === undefined) return;
  if (token === everything) enter(pattern, next, place);
  else if (token === folders) {
    next[pattern.length + 1 + place] = 1;
    if (character === '/') enter(pattern, next, place);
  } else if (token === star) {
    if (character !== '/') enter(pattern, next, place);
  } else if (typeof token === 'string' ? token === character : character !== '/' && token.has(character)) {
    enter(pattern, next, place + 1);
  }
}

/** Adds a place, and those that it leads to without a character. */
function enter(pattern: readonly Token[], places: Uint8Array, place: number): void {
  for (let at = place; places[at] !== 1; at += 1) {
    places[at] = 1;
    const token = pattern[at];
    if (token !== star && token !== folders && token !== everything) return;
  }
}
