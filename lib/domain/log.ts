/**
 * The log for those who run the service: fields and a sentence. Never a location, a query, a typed name, a secret or
 * content.
 */
export interface Log {
  /** For the search for a fault of the service itself. */
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Normal events. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** A setting or a state that those who run the service may want to change. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Events that need the attention of those who run the service. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
