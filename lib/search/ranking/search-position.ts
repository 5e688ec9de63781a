import type { Location } from '../../domain/location.js';
import type { Statistics } from './weigh.js';

/** The end of a page, with the statistics of its scores: later pages are scored alike. */
export interface SearchPosition {
  readonly statistics: Statistics;
  readonly score: number;
  readonly location: Location;
  /** How words were read and ranked: scores of another manner cannot continue from this one. */
  readonly manner: string;
}
