import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Coding } from '../http/choose-coding.js';

/** A file that pages load. */
export interface Asset {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly compressed: ReadonlyMap<Coding, Uint8Array>;
}

/** What the build left, in memory. */
export interface BuiltPages {
  /** The page's text. @param nonce for its styles */
  readonly page: (nonce: string) => string;
  readonly assets: ReadonlyMap<string, Asset>;
}

const folder = new URL('./web/', import.meta.url);
const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const codings: readonly (readonly [string, Coding])[] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
];

/**
 * Reads the built pages: `index.html` with its marks `{{nonce}}` and `{{base}}`, and the folder `assets`, in which each
 * file lies beside its compressed forms.
 * @param base a proxy's path prefix
 * @returns undefined where nothing was built
 */
export async function readBuiltPages(base: string): Promise<BuiltPages | undefined> {
  const index = await readIfThere(new URL('index.html', folder));
  if (index === undefined) return undefined;
  const pieces = index.toString('utf8').replaceAll('{{base}}', base).split('{{nonce}}');
  const place = new URL('assets/', folder);
  const assets = new Map<string, Asset>();
  for (const name of await readdir(fileURLToPath(place))) {
    const mediaType = mediaTypes[extname(name)];
    if (mediaType === undefined) continue;
    const compressed = new Map<Coding, Uint8Array>();
    for (const [end, coding] of codings) {
      const bytes = await readIfThere(new URL(`${name}${end}`, place));
      if (bytes !== undefined) compressed.set(coding, bytes);
    }
    assets.set(name, { mediaType, bytes: await readFile(new URL(name, place)), compressed });
  }
  return { page: (nonce) => pieces.join(nonce), assets };
}

async function readIfThere(file: URL): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
