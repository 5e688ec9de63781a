/** A content coding (RFC 9110 §8.4.1) that the service applies. */
export type Coding = 'br' | 'gzip';

/** In the order of preference, where a client likes them alike. */
const codings: readonly Coding[] = ['br', 'gzip'];
/** Characters of the header that are read. No client names more codings. */
const maxHeader = 1000;
const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

/**
 * Chooses by Accept-Encoding (RFC 9110 §12.5.3).
 * @returns undefined for content as it is
 */
export function chooseCoding(header: string | undefined): Coding | undefined {
  if (header === undefined || header.length > maxHeader) return undefined;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [name = '', parameter = 'q=1'] = part.split(';', 2).map((each) => each.trim());
    weights.set(name, Number(weight.exec(parameter)?.[1] ?? 0));
  }
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [best] = codings.toSorted((one, other) => weightOf(other) - weightOf(one));
  return best !== undefined && weightOf(best) > 0 ? best : undefined;
}
