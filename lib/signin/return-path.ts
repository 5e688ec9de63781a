/**
 * Bytes of the longest path for a return: an application's request, below a proxy's path. It fits into a cookie;
 * browsers keep 4,096 bytes of one with its name (RFC 6265 §6.1).
 */
export const maxReturnPathLength = 3800;

/**
 * The target after signing in: a path of this service, never another host.
 * @param text as in the request
 * @param base a proxy's path prefix
 * @returns undefined for any other target
 */
export function readReturnPath(text: unknown, base: string): string | undefined {
  if (typeof text !== 'string' || text.length > maxReturnPathLength) return undefined;
  // `//host` and `/\host` are other hosts to a browser, and it drops tabs and line breaks before it looks.
  if (!/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined;
  const url = new URL(text, 'http://self.invalid');
  if (url.origin !== 'http://self.invalid') return undefined;
  // After dots are resolved, too, it must be below the base and not one of two slashes.
  const path = url.pathname + url.search;
  if (path.startsWith('//') || !(base === '' || path === base || path.startsWith(`${base}/`))) return undefined;
  return path;
}
