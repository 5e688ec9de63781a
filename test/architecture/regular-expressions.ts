import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { findAmbiguity, manyTimes } from './find-ambiguity.js';

/** A regular expression as it stands in a source. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** A counted repeat from which on it matters that it is tried at each place of a text. */
const manyAtEachPlace = 1000;

/**
 * Why an expression can take a time that grows faster than its text, a sentence each; nothing where it cannot. Two ways
 * of looking: scslre finds what one repeated character does, ends, boundaries and lookarounds considered, and the places
 * from which a search begins anew; findAmbiguity finds repeats that several characters lead through in two ways.
 */
export function findRunaways({ source, flags }: Expression): string[] {
  const found = findAmbiguity(source, flags);
  for (const [least, types] of [
    [manyTimes, { Trade: true, Self: true, Move: false }],
    [manyAtEachPlace, { Trade: false, Self: false, Move: true }],
  ] as const) {
    for (const report of analyse(parseOpened({ source, flags }, least), { reportTypes: types }).reports) {
      if (report.type === 'Trade') {
        found.push(`two repeats can trade what they take, ${report.startQuant.raw} and ${report.endQuant.raw}`);
      } else if (report.type === 'Self') found.push(`${report.quant.raw} is repeated by ${report.parentQuant.raw}`);
      else found.push(`${report.quant.raw} is tried anew at each place of a text that does not match`);
    }
  }
  return [...new Set(found)];
}

/** The expression's tree, in which counted repeats of so many turns have no bound. */
function parseOpened({ source, flags }: Expression, least: number) {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = parser.parsePattern(source, 0, source.length, mode);
  visitRegExpAST(pattern, {
    onQuantifierEnter(quantifier) {
      if (quantifier.max > quantifier.min && quantifier.max >= least) quantifier.max = Number.POSITIVE_INFINITY;
    },
  });
  return { pattern, flags: parser.parseFlags(flags) };
}
