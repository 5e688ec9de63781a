import type { Release } from '../../limits/work-limiter.js';
import { principalSourceOf, sourceOf } from '../../limits/work-limits.js';
import { recordRefusal } from '../perform.js';
import type { RepositoryInput } from './prepare-repository.js';
import type { Asked } from './serve-repository.js';

/**
 * Waits for room for a process of git. Fetches are counted by their principal, as pushes are: more keys of one principal
 * must not take the room of others.
 * @throws Refusal RATE_LIMITED, UNAVAILABLE; recorded
 */
export async function takeRoom(
  { workspace, caller, version }: Asked,
  kind: 'clones' | 'computations',
  operation: { readonly name: string },
): Promise<Release> {
  try {
    const source = (kind === 'clones' ? principalSourceOf : sourceOf)(workspace.name, caller);
    return await workspace.workLimits[kind].take(source);
  } catch (error) {
    const note = (): { detail: { protocol: RepositoryInput['version'] } } => ({ detail: { protocol: version } });
    throw await recordRefusal(workspace, caller, { name: operation.name, note }, undefined, error);
  }
}
