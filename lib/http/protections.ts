/** The content security policy of an answer other than a page: a browser may run, load and frame nothing. */
export const nothingRuns = "default-src 'none'; frame-ancestors 'none'";

/**
 * Security headers of every answer of every face. A face adds its `Cache-Control` and `Content-Security-Policy`,
 * because these depend on the answer.
 */
export const protections: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** Headers of every answer of a face without pages: nothing in it runs, and no cache keeps it. */
export const unkept: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': nothingRuns,
  ...protections,
};

/**
 * Makes browsers use https alone from now on (RFC 6797), where the service is offered over https. It holds for the
 * host, for a year from the last answer. Names below the host are not affected.
 * @param publicUrl the address of the service for clients; null where none is configured
 * @returns headers of every answer of every face
 */
export function strictTransport(publicUrl: string | null): Readonly<Record<string, string>> {
  return publicUrl?.startsWith('https:') === true ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}
