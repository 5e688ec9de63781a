/** The address of a repository elsewhere: a URL, or `user@host:path` as ssh takes it. */
export function isAddress(text: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(text);
}
