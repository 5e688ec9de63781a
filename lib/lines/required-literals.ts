import type { LineQuery } from './line-query.js';

/** Characters that each line with a match holds. */
export interface RequiredLiterals {
  /** Each of them. In the composed form; none where nothing is known. */
  readonly literals: readonly string[];
  /** Whether letters may stand in the other case. */
  readonly ignoresCase: boolean;
}

/** Characters with a meaning of their own, outside of brackets. */
const special = new Set('\\.[]()|?*+{}^$');
/** How often what stands before it comes. */
const repetition = /^(?:[?*+]|\{\d+(?:,\d*)?\})\??/;
/** Flags for the rest of a group. They match nothing: a repetition behind them is one of what stands before them. */
const flags = /^\(\?[a-zA-Z-]+\)/;
/** In a class `[` may end a range here, or begin a named class. */
const unclear = '-[:';
/** A flag that ignores case, anywhere: at the start of a group, and for the rest of one. */
const caseFlag = /\(\?[a-zA-Z]*i/;
const escaped = /^\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|[\da-fA-F]{2})|[0-7]{1,3}|.)/su;

/**
 * What every match of a query holds. For an expression these are the characters that it names outside of groups, where it
 * has no alternatives there. Whatever is not understood is passed over: the less is known, the more texts are read.
 */
export function requiredLiterals({ match, text }: LineQuery): RequiredLiterals {
  const sought = text.normalize('NFC');
  if (match === 'exact') return { literals: [sought], ignoresCase: false };
  const ignoresCase = caseFlag.test(sought);
  const unknown = { literals: [], ignoresCase };
  if (sought.includes(unclear)) return unknown;
  const literals: string[] = [];
  let run: string[] = [];
  const end = (): void => {
    if (run.length > 0) literals.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < sought.length;) {
    const rest = sought.slice(at);
    const repeated = repetition.exec(rest);
    if (repeated !== null) {
      // What is repeated may be missing.
      run.pop();
      end();
      at += repeated[0].length;
      continue;
    }
    const [character = ''] = rest;
    if (!special.has(character)) {
      const whole = String.fromCodePoint(rest.codePointAt(0) ?? 0);
      run.push(whole);
      at += whole.length;
      continue;
    }
    if (character === '|' || rest.startsWith('\\Q')) return unknown;
    const set = flags.exec(rest);
    if (set !== null) {
      at += set[0].length;
      continue;
    }
    const length =
      character === '\\'
        ? (escaped.exec(rest)?.[0].length ?? 1)
        : character === '['
          ? lengthOfClass(rest)
          : character === '('
            ? lengthOfGroup(rest)
            : 1;
    if (character === '\\' && length === 2 && /[^\w\s]/.test(rest.charAt(1))) run.push(rest.charAt(1));
    else end();
    at += length;
  }
  end();
  return { literals, ignoresCase };
}

/** Of a class in brackets, with those in it: `[^]a-z[:digit:]]`. */
function lengthOfClass(rest: string): number {
  let at = /^\[\^?\]?/.exec(rest)?.[0].length ?? 1;
  while (at < rest.length && rest[at] !== ']') {
    const inner = /^\[:\^?\w+:\]/.exec(rest.slice(at));
    const step = escaped.exec(rest.slice(at));
    at += inner?.[0].length ?? step?.[0].length ?? 1;
  }
  return at + 1;
}

function lengthOfGroup(rest: string): number {
  let depth = 0;
  for (let at = 0; at < rest.length;) {
    const part = rest.slice(at);
    if (part.startsWith('\\Q')) {
      const end = part.indexOf('\\E');
      at += end < 0 ? part.length : end + 2;
      continue;
    }
    if (part.startsWith('[')) {
      at += lengthOfClass(part);
      continue;
    }
    if (part.startsWith('(')) depth += 1;
    if (part.startsWith(')')) depth -= 1;
    if (depth === 0) return at + 1;
    at += part.startsWith('\\') ? (escaped.exec(part)?.[0].length ?? 1) : 1;
  }
  return rest.length;
}
