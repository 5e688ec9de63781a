/** What went wrong, for a person: the message of an error, or whatever was thrown in its place. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
