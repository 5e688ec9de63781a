import type { Release } from '../../access/work-limiter.js';
import { sourceOf } from '../../access/work-limits.js';
import { recordRefusal } from '../perform.js';
import type { RepositoryInput } from './prepare-repository.js';
import type { Asked } from './serve-repository.js';

/**
 * Waits for room for a process of git.
 * @throws Refusal RATE_LIMITED, UNAVAILABLE; recorded
 */
export async function takeRoom(
  { workspace, caller, version }: Asked,
  kind: 'clones' | 'computations',
  operation: { readonly name: string },
): Promise<Release> {
  try {
    return await workspace.workLimits[kind].take(sourceOf(workspace.name, caller));
  } catch (error) {
    const note = (): { detail: { protocol: RepositoryInput['version'] } } => ({ detail: { protocol: version } });
    throw await recordRefusal(workspace, caller, { name: operation.name, note }, undefined, error);
  }
}
