import type { Version } from '../domain/document.js';
import type { VersionOperation } from '../domain/history-entry.js';
import { parentOf, type Location } from '../domain/location.js';
import type { Author } from '../domain/principal.js';
import type { Signature } from '../git/objects/objects.js';
import type { Displaced } from './compare-reach.js';

/** The last second of the year 9999. */
const lastSecond = 253_402_300_799;

/** A principal as the author of a commit. @param at milliseconds since 1970; an absurd time becomes the nearest sound one */
export function signAs({ displayName, id }: Author, at: number, workspace: string): Signature {
  const seconds = Math.min(Math.max(Math.floor(at / 1000), 0), lastSecond);
  return { name: displayName, email: `${id}@${workspace}`, seconds };
}

/** Whether commits with this committer are the service's. */
export function isAddressOfService(address: string, workspace: string): boolean {
  const at = address.lastIndexOf('@');
  return address.slice(at + 1) === workspace && /^prn_[0-9a-x]{20}$/.test(address.slice(0, at));
}

/** The author and committer of a version: who wrote it, and before that the author of what was imported. */
export function signVersion(
  { author, at, originalAuthor }: Version,
  workspace: string,
): { readonly author: Signature; readonly committer: Signature } {
  const committer = signAs(author, at, workspace);
  if (originalAuthor === null) return { author: committer, committer };
  const { name, email } = originalAuthor;
  return { author: { name, email, seconds: (originalAuthor.at ?? 0) / 1000 }, committer };
}

/** The message of a commit with versions: the writer's own, or what happened to the places that are shown. */
export function describeVersions(
  versions: readonly { readonly version: Version; readonly operation: VersionOperation; readonly place: Location }[],
): string {
  const message = versions.find(({ version }) => version.message !== null)?.version.message ?? '';
  if (message.trim() !== '') return `${message}\n`;
  const [first] = versions;
  if (first === undefined) return '\n';
  const verb = capitalize(first.operation);
  return versions.length === 1 ? `${verb} ${first.place}\n` : `${verb} ${versions.length} documents\n`;
}

/** The message of a commit with moves and deletions. */
export function describeMoves(displaced: readonly Displaced[]): string {
  const [first] = displaced;
  if (displaced.length === 1 && first !== undefined) return `${describeMove(first)}\n`;
  const deleted = displaced.filter(({ to }) => to === null).length;
  const moved = displaced.length - deleted;
  if (deleted === 0) return `Move ${countDocuments(moved)}\n`;
  if (moved === 0) return `Delete ${countDocuments(deleted)}\n`;
  return `Move ${countDocuments(moved)} and delete ${countDocuments(deleted)}\n`;
}

function describeMove({ from, to }: Displaced): string {
  if (to === null) return `Delete ${from ?? ''}`;
  if (from === null) return `Undelete ${to}`;
  return `${parentOf(from) === parentOf(to) ? 'Rename' : 'Move'} ${from} to ${to}`;
}

function countDocuments(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}

function capitalize(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
