import type { Location } from '../../domain/location.js';
import type { Statistics } from './weigh.js';

/** Where a page ended, with the statistics that its scores were made of: later pages are scored alike. */
export interface SearchPosition {
  readonly statistics: Statistics;
  readonly score: number;
  readonly location: Location;
  /** How words were read and ranked: with another manner, scores don't go on from this one. */
  readonly manner: string;
}
