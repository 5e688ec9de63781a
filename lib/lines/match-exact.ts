import { runAtOnce } from '../scheduling/in-steps.js';
import { findForwards } from '../text/find-exact.js';
import { maxLineLength, type LineMatcher } from './line-query.js';

/** Finds these very characters, in time in proportion to the length of a line. */
export function matchExact(text: string): LineMatcher {
  const sought = text.normalize('NFC');
  return {
    window: maxLineLength,
    overlap: 0,
    find(line, start, end) {
      const [at] = runAtOnce(findForwards(line.slice(start, end), sought, 0, 1));
      return at === undefined ? undefined : { start: start + at, end: start + at + sought.length };
    },
  };
}
