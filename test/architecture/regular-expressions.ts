import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { findAmbiguity, manyTimes } from './find-ambiguity.js';

/** A regular expression as it stands in a source. */
export interface Expression {
  readonly source: string;
  readonly flags: string;
}

/** The count of repeats from which trying each place of a text matters. */
const manyAtEachPlace = 1000;

/**
 * Why an expression can take a time that grows faster than its text, a sentence each; none where it cannot. There are
 * two methods. scslre finds the effect of one repeated character, with ends, boundaries and lookarounds, and the places
 * from which a search begins again. findAmbiguity finds repeats through which several characters lead in two ways.
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
      else found.push(`${report.quant.raw} is tried again at each place of a text that does not match`);
    }
  }
  return [...new Set(found)];
}

/** The expression's tree, in which counted repeats of so many rounds have no bound. */
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
