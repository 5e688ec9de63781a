import type { Closings } from './read-tag.js';
import type { Fence } from './markdown-lines.js';

/**
 * What is known of a text before one of its parts. Whoever shows several parts of one text, in their order, keeps it, so
 * that the text before them is looked at once and not for each.
 */
export class Lookback {
  /** Of the references that a Markdown text defines. */
  labels: ReadonlySet<string> | undefined;
  /** How far fences are counted: behind a line with one, and what is open there. */
  fences: { at: number; open: Fence | undefined; readonly closings: Closings } | undefined;
  /** How far hidden elements of HTML are read: the last one, from its beginning to behind it, and where the next begins. */
  hidden: { from: number; at: number; next: number; readonly closings: Closings } | undefined;
}
