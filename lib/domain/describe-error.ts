/** The fault in words for a person: the message of an error, or any other thrown value as a text. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
