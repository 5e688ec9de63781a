/**
 * Tells browsers to come over https alone from now on (RFC 6797), where the service is offered over https. It holds for
 * the host, for a year from the last answer; it says nothing of names below the host.
 * @param publicUrl where clients find the service; null where none is configured
 * @returns headers of every answer of every face
 */
export function strictTransport(publicUrl: string | null): Readonly<Record<string, string>> {
  return publicUrl?.startsWith('https:') === true ? { 'Strict-Transport-Security': 'max-age=31536000' } : {};
}
