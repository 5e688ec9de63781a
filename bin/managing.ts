import type { Description } from './options.js';

/** A command that sends one request to the owner of the data and prints its answer. */
export interface Managing extends Description {
  /** Names of the arguments after the words, in order. They are also the names of the request's fields. */
  readonly arguments?: readonly string[];
  /** The same for arguments that may be left out. */
  readonly optionalArguments?: readonly string[];
  /** The columns of a list for people, such as `id` or `anchor.line`; --json has all members. */
  readonly columns?: readonly string[];
  /** The rows of a list for people, where columns are not enough. */
  readonly toRows?: (items: readonly unknown[]) => readonly Readonly<Record<string, unknown>>[];
  /** Flags as commander reads them, each with its description. */
  readonly required?: Readonly<Record<string, string>>;
  readonly optional?: Readonly<Record<string, string>>;
}
