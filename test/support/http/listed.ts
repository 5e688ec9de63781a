import type { Parsed } from './server.js';

/** The documents of a list for agents, with their whole locations and with what stands above the list. */
export function locateListed({ location, documents, ...shared }: Parsed): Parsed[] {
  return documents.map(({ name, ...own }: Parsed) => ({
    ...shared,
    ...own,
    location: location === '' ? name : `${location}/${name}`,
  }));
}
