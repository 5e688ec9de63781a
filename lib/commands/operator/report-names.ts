import { findLookAlikes } from '../../operations/principals/look-alikes.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { findUnportableNames } from '../../view/find-unportable-names.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommandDependencies } from '../command.js';
import { openedOf } from './report-health.js';

const mostNamed = 20;

/** What a check of names says. */
export interface NamesReport {
  /** The check: `names` of people and agents, or `locations`. */
  readonly name: string;
  readonly message: string;
}

/**
 * Names that look alike, and locations that Windows or macOS cannot check out, in sentences. For those who run the
 * service.
 */
export async function reportNames(host: CommandDependencies): Promise<readonly NamesReport[]> {
  const alike: string[] = [];
  const locations: string[] = [];
  for (const workspace of openedOf(host)) {
    alike.push(...(await describeLookAlikes(workspace)));
    locations.push(...(await describeUnportable(workspace)));
  }
  if (alike.length > 0) alike.push('Disable one that nobody knows.');
  return [
    { name: 'names', message: alike.join(' ') },
    { name: 'locations', message: locations.join(' ') },
  ].filter(({ message }) => message !== '');
}

/** Names of people, agents, connectors and groups that look alike, each pair in a sentence. */
async function describeLookAlikes(workspace: Workspace): Promise<string[]> {
  const pairs = await findLookAlikes(workspace, mostNamed);
  return pairs.map(
    ([one, other]) =>
      `${workspace.name}: "${one.displayName}" (${one.id}) and "${other.displayName}" (${other.id}) look alike.`,
  );
}

async function describeUnportable({ name, journal }: Workspace): Promise<string[]> {
  const { named, count } = await runCooperatively(findUnportableNames(() => journal.reader, mostNamed));
  if (count === 0) return [];
  const list = named.map(({ location, fault }) => `"${location}" ${fault}`).join('; ');
  const more = count > named.length ? `; and ${count - named.length} more` : '';
  return [`${name}: Windows or macOS cannot check these out in a clone. Rename them. ${list}${more}.`];
}
