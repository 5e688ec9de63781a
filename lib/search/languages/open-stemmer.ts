/**
 * Snowball's stemmers (M. F. Porter and others), as lunr-languages has them. Each is loaded at its first use, and
 * synchronously: an index names its languages only when it is opened.
 */
import { createRequire } from 'node:module';

type Plugin = (lunr: object) => void;

const require = createRequire(import.meta.url);

/** Languages by their ISO 639-1 codes. English has a stemmer of lunr's own. */
const plugins = {
  da: () => require('lunr-languages/lunr.da.js') as Plugin,
  de: () => require('lunr-languages/lunr.de.js') as Plugin,
  es: () => require('lunr-languages/lunr.es.js') as Plugin,
  fi: () => require('lunr-languages/lunr.fi.js') as Plugin,
  fr: () => require('lunr-languages/lunr.fr.js') as Plugin,
  hu: () => require('lunr-languages/lunr.hu.js') as Plugin,
  it: () => require('lunr-languages/lunr.it.js') as Plugin,
  nl: () => require('lunr-languages/lunr.nl.js') as Plugin,
  no: () => require('lunr-languages/lunr.no.js') as Plugin,
  pt: () => require('lunr-languages/lunr.pt.js') as Plugin,
  ro: () => require('lunr-languages/lunr.ro.js') as Plugin,
  ru: () => require('lunr-languages/lunr.ru.js') as Plugin,
  sv: () => require('lunr-languages/lunr.sv.js') as Plugin,
  tr: () => require('lunr-languages/lunr.tr.js') as Plugin,
} as const;

type StemmedCode = keyof typeof plugins;
export type LanguageCode = 'en' | StemmedCode;

export const languageCodes: readonly LanguageCode[] = ['en', ...(Object.keys(plugins) as StemmedCode[])];

/** Plugins change this object in place of lunr: the real one goes on reading queries as it does. */
const standIn: Record<string, unknown> = {
  Pipeline: { registerFunction: () => undefined },
  generateStopWordFilter: () => undefined,
};

/** @param code any but English */
export function openStemmer(code: LanguageCode): (word: string) => string {
  const load = code === 'en' ? undefined : plugins[code];
  if (load === undefined) throw new Error(`There is no stemmer for ${code} here.`);
  if (standIn['stemmerSupport'] === undefined) (require('lunr-languages/lunr.stemmer.support.js') as Plugin)(standIn);
  load()(standIn);
  const language = standIn[code] as { readonly stemmer: (word: string) => string };
  return language.stemmer;
}

/** The supported ones among the codes; English where none is. */
export function knownLanguages(codes: readonly string[]): readonly LanguageCode[] {
  const known = languageCodes.filter((code) => codes.includes(code));
  return known.length === 0 ? ['en'] : known.sort((a, b) => codes.indexOf(a) - codes.indexOf(b));
}
