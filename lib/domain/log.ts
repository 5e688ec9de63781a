/**
 * What the service writes down for those who run it: fields and a sentence. Never a location, a query, a name that was
 * typed, a secret or content.
 */
export interface Log {
  /** For whoever looks for a fault of the service itself. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** What went as it should. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** What somebody who runs the service should look at. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
