/** The segments of the path of a folder that was asked for, decoded. */
export type Segments = readonly string[];

/** What an href in a listing names, seen from the folder that was listed. */
export type Named =
  | { readonly type: 'self' }
  | { readonly type: 'child'; readonly name: string }
  /** A child whose name cannot be one, as it is written. */
  | { readonly type: 'odd'; readonly written: string }
  /** Not of this folder, or of another server. */
  | { readonly type: 'foreign' };

/** Decodes a path once. @returns undefined when an escape is broken */
export function decodeSegments(path: string): Segments | undefined {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

/** The path of a folder, or of a file, as it goes into an address. */
export function encodeSegments(segments: Segments): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}

/**
 * Reads an href. It is compared segment by segment in decoded form, because servers escape differently, and is never
 * resolved as an address, because that would take `..` away.
 * @param origin of the folder
 * @param folder its segments
 */
export function readHref(href: string, origin: string, folder: Segments): Named {
  const path = pathOf(href, origin);
  if (path === undefined) return { type: 'foreign' };
  const written = path.split('/').filter(Boolean);
  for (const [index, segment] of folder.entries())
    if (decodeOnce(written[index] ?? '') !== segment) return { type: 'foreign' };
  const [last, ...more] = written.slice(folder.length);
  if (last === undefined) return { type: 'self' };
  if (more.length > 0) return { type: 'foreign' };
  const name = decodeOnce(last);
  const isOdd = name === undefined || name === '.' || name === '..' || name.includes('/') || name.includes('\0');
  return isOdd ? { type: 'odd', written: last } : { type: 'child', name };
}

/** @returns undefined for an address of another origin */
function pathOf(href: string, origin: string): string | undefined {
  if (href.startsWith('/') && !href.startsWith('//')) return href;
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined;
  const slash = href.indexOf('/', href.indexOf('://') + 3);
  return slash < 0 ? '/' : href.slice(slash);
}

function decodeOnce(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
