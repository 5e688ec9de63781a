import { nameOf } from '../../navigation/addresses.ts';
import { locationOf, type Entry } from './browser-queries.ts';

/** "report.md", or "3 documents and 1 folder". */
export function nameEntries(entries: readonly Entry[]): string {
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return `“${nameOf(locationOf(only))}”`;
  const folders = entries.filter(({ type }) => type === 'folder').length;
  const documents = entries.length - folders;
  const parts = [countOf(documents, 'document'), countOf(folders, 'folder')].filter((part) => part !== '');
  return parts.join(' and ');
}

function countOf(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}
