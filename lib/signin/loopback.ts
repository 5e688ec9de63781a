/** Whether a host is this machine itself (RFC 8252 §7.3). @param hostname as `URL` has it */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
