import type { Clock } from '../domain/clock.js';
import type { CallerDependencies } from '../http/serve-exchange.js';
import type { Workspace } from '../workspace/workspace.js';

/** The running service, as far as this face needs it. */
export interface RemoteDependencies extends CallerDependencies {
  readonly clock: Clock;
  find(workspace: string): Workspace | undefined;
}
