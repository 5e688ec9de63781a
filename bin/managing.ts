import type { Description } from './options.js';

/** A command that is one question to the owner of the data and one answer. */
export interface Managing extends Description {
  /** Names of what follows the words, in order; also the names of the fields they become. */
  readonly arguments?: readonly string[];
  /** Flags as commander reads them, each with its description. */
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
}
