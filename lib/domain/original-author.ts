import { dropHidden } from './hidden-characters.js';

/**
 * Who wrote an imported version, and when, according to its source. It is a claim of the source and never a principal:
 * nothing is decided by it.
 */
export interface OriginalAuthor {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since 1970, in whole seconds; null when the source names no usable time. */
  readonly at: number | null;
}

/** Maximum characters of a name and of an address. */
const maxLength = 100;
/** The last second of the year 9999. */
const lastSecond = 253_402_300_799;

const separators = /[\p{Cc}\p{Surrogate}<>\s\u2028\u2029]+/gu;

/**
 * Makes the texts safe to show, and bounded: one line each, without control or hidden characters, `<` and `>`.
 * @param seconds since 1970; NaN when there is no time
 */
export function makeOriginalAuthor(name: string, email: string, seconds: number): OriginalAuthor {
  const isUsable = Number.isSafeInteger(seconds) && seconds > 0 && seconds <= lastSecond;
  return { name: clean(name, ' '), email: clean(email, ''), at: isUsable ? seconds * 1000 : null };
}

function clean(text: string, separator: string): string {
  const whole = dropHidden(text.slice(0, 40 * maxLength).replaceAll(separators, ' ')).replaceAll(separators, separator);
  const characters = Array.from(whole.trim());
  if (characters.length === 0) return 'unknown';
  return characters.length > maxLength
    ? `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
    : characters.join('');
}

/** One line, as git writes a signature: `Ada <ada@example.org> 1556704800`; 0 stands for no time. */
export function formatOriginalAuthor({ name, email, at }: OriginalAuthor): string {
  return `${name} <${email}> ${(at ?? 0) / 1000}`;
}

/** Reads the line. */
export function parseOriginalAuthor(line: string): OriginalAuthor {
  const [, name = 'unknown', email = 'unknown', seconds = '0'] = /^([^<]*) <([^>]*)> (\d{1,12})$/.exec(line) ?? [];
  return { name, email, at: Number(seconds) === 0 ? null : Number(seconds) * 1000 };
}

/** The person alone: `Ada <ada@example.org>`. */
export function describeOriginalAuthor({ name, email }: Pick<OriginalAuthor, 'name' | 'email'>): string {
  return email === 'unknown' ? name : `${name} <${email}>`;
}
