import type { Log } from '../domain/log.js';

/** Hosts that are named in the log; others would let a stranger fill it. */
const maxHosts = 50;
/** Characters of a host in the log: it is the client's text. */
const maxLength = 100;

/**
 * Makes a function that writes one line for each host by which requests came and were refused. A proxy without
 * `public_url` shows up there once, and not in each person's complaint alone.
 * @param sentence what was refused, and what to set
 */
export function makeHostNotes(log: Pick<Log, 'warn'>, sentence: string): (host: string | undefined) => void {
  const noted = new Set<string>();
  return (host = '') => {
    const shown = host.slice(0, maxLength);
    if (noted.has(shown) || noted.size >= maxHosts) return;
    noted.add(shown);
    log.warn({ host: shown }, sentence);
  };
}
