import { findLookAlikes } from '../operations/principals/look-alikes.js';
import type { CommandDependencies } from './command.js';
import { openedOf } from './report-health.js';

const mostNamed = 20;

/** Names of people, agents, connectors and groups that look alike, each pair in a sentence. For those who run the service. */
export async function reportNames(host: CommandDependencies): Promise<readonly string[]> {
  const sentences: string[] = [];
  for (const workspace of openedOf(host)) {
    for (const [one, other] of await findLookAlikes(workspace, mostNamed)) {
      sentences.push(
        `${workspace.name}: "${one.displayName}" (${one.id}) and "${other.displayName}" (${other.id}) look alike.`,
      );
    }
  }
  return sentences;
}
