/** A result of a command as JSON: a record as in REST, or a few members in the same words. */
export type Presented = Readonly<Record<string, unknown>>;
