import { bodyField, everyField, labelField, pathField, titleField } from '../segments/posting.js';

/** A quoted part of a query. */
export interface Quote {
  readonly text: string;
  readonly isProhibited: boolean;
  /** One bit a field: one of them, or all. */
  readonly fields: number;
}

/** The fields that a query can name. */
export const fieldsByName: ReadonlyMap<string, number> = new Map([
  ['body', bodyField],
  ['title', titleField],
  ['path', pathField],
  ['label', labelField],
]);

/** A sign, a field and its colon may lead the quotes: `-title:"a phrase"`. A field begins where a word does. */
const quoted = /(?:(?<=^|[\s(])([+-]?)(\p{L}+):[^\S\n]*|([+-]?))["“”]([^"“”]*)["“”]/gu;

/**
 * Takes the quoted parts out of a query. A word with a colon that names no field stays a word, as it does before a word
 * without quotes. Where the part is prohibited, the word belongs to it: without that, `-error:"disk full"` would look
 * for what it leaves out.
 * @param knowsFields false where the query has no operators but quotes
 * @returns the parts, and the text without them
 */
export function readQuotes(text: string, knowsFields: boolean): { readonly quotes: Quote[]; readonly rest: string } {
  const quotes: Quote[] = [];
  const rest = text.replace(
    quoted,
    (_, signOfField: string | undefined, name: string | undefined, signAlone: string | undefined, inner: string) => {
      const sign = signOfField ?? signAlone ?? '';
      const isProhibited = sign === '-';
      const fields = name !== undefined && knowsFields ? fieldsByName.get(name.toLowerCase()) : undefined;
      const isWord = name !== undefined && fields === undefined;
      quotes.push({
        text: isWord && isProhibited ? `${name} ${inner}` : inner,
        isProhibited,
        fields: fields ?? everyField,
      });
      return isWord && !isProhibited ? ` ${sign}${name} ` : ' ';
    },
  );
  return { quotes, rest };
}
