/** Where a link or image of a document leads. */
export type Reference =
  | { readonly kind: 'heading'; readonly id: string }
  | { readonly kind: 'document' | 'folder'; readonly location: string; readonly heading: string | undefined }
  | { readonly kind: 'external'; readonly url: string }
  /** An address that is not followed: a scheme that can run something, or a path out of the workspace. */
  | { readonly kind: 'nowhere' };

const nowhere: Reference = { kind: 'nowhere' };
const scheme = /^[a-z][a-z0-9+.-]*:/i;
const followed = new Set(['http:', 'https:', 'mailto:']);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the address of a link or image.
 * @param href as written in the document, percent-encoded
 * @param from the location of the document
 */
export function resolveReference(href: string, from: string): Reference {
  const text = href.trim();
  if (text === '') return nowhere;
  if (scheme.test(text) || /^[\\/]{2}/.test(text)) return resolveExternal(text);
  const [path = '', ...fragments] = text.split('#');
  const fragment = fragments.length === 0 ? undefined : decode(fragments.join('#'));
  if (path === '') return fragment === undefined || fragment === '' ? nowhere : { kind: 'heading', id: fragment };
  const [bare = ''] = path.split('?', 1);
  const named = decode(bare);
  if (named === undefined || named.includes('\\')) return nowhere;
  const location = walk(named.startsWith('/') ? [] : from.split('/').slice(0, -1), named.split('/'));
  if (location === undefined) return nowhere;
  const isFolder = location === '' || named.endsWith('/') || /(?:^|\/)\.{1,2}$/.test(named);
  return { kind: isFolder ? 'folder' : 'document', location, heading: fragment };
}

function resolveExternal(text: string): Reference {
  const address = scheme.test(text) ? text : `https:${text.replaceAll('\\', '/')}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && followed.has(url.protocol) ? { kind: 'external', url: url.href } : nowhere;
}

/** @returns undefined for a path that leads out of the workspace */
function walk(start: readonly string[], steps: readonly string[]): string | undefined {
  const segments = [...start];
  for (const step of steps) {
    if (step === '' || step === '.') continue;
    if (step !== '..') segments.push(step);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join('/');
}
