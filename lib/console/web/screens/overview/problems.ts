import { addressOf } from '../../navigation/addresses.ts';
import { wordsOfStop } from '../webhooks/webhook-words.ts';
import type { Overview } from './overview-queries.ts';

/** Something that waits for a person. */
export interface Trouble {
  readonly what: string;
  readonly remedy: string;
  /** Where it is mended, within the console. */
  readonly href?: string;
}

/** Share of the quota from which on an admin should know. */
const nearlyFull = 0.9;
const week = 7 * 24 * 60 * 60_000;

/** Everything that is wrong, the worst first. */
export function findTroubles(workspace: string, found: Overview): Trouble[] {
  const { storage, repository, search, connectors, webhooks, erases, backed_up_at: backedUpAt, at } = found;
  const troubles: Trouble[] = [];
  if (!found.journal_well) {
    troubles.push({
      what: 'Writes are refused: the data folder cannot be written.',
      remedy: 'Look at the log of the service, and run `cartulary doctor` on its machine.',
    });
  }
  if (found.disk_low) {
    troubles.push({
      what: 'The disk is nearly full. Writes that need room are refused.',
      remedy: 'Make room on the disk of the data folder. Writes go on by themselves then.',
    });
  }
  if (repository.failing_since !== null) {
    troubles.push({
      what: 'The repository cannot be written. What was saved is safe, and waits.',
      remedy: 'Run `cartulary status` on the machine of the service: it names the cause.',
    });
  }
  if (search.state === 'broken' || search.state === 'building') {
    troubles.push({
      what: search.state === 'broken' ? 'The search does not work.' : 'The search index is being built.',
      remedy:
        search.state === 'broken'
          ? 'Look at the log of the service. The index is made again at its next start.'
          : 'Searches are refused until it is done. Nothing has to be done.',
    });
  }
  if (storage.used > storage.quota * nearlyFull) {
    troubles.push({
      what: 'The workspace has used nine tenths of its storage, or more.',
      remedy: 'Raise it with `cartulary policy set --storage-quota`, or erase what must not be kept.',
    });
  }
  for (const { id, location, reason } of connectors) {
    troubles.push({
      what: `The mirror ${location} waits for somebody.`,
      remedy: reason,
      href: addressOf.connector(workspace, id),
    });
  }
  for (const { id, name, location, stopped } of webhooks) {
    troubles.push({
      what: `The webhook ${name} on ${location === '' ? 'all documents' : location} has stopped.`,
      remedy: wordsOfStop[stopped ?? 'failed'].remedy,
      href: addressOf.webhook(workspace, id),
    });
  }
  if (erases.hindered > 0) {
    troubles.push({
      what: 'An erase is held up.',
      remedy: 'Its receipt says why, and what to do.',
      href: addressOf.erasures(workspace),
    });
  }
  if (backedUpAt === null || Date.parse(at) - Date.parse(backedUpAt) > week) {
    troubles.push({
      what: backedUpAt === null ? 'No backup was made with this service.' : 'The last backup is older than a week.',
      remedy: 'Run the backup command below. If you save the data folder in another way, you need not.',
    });
  }
  return troubles;
}
