import type { People } from '../access/people.js';
import type { ApiDependencies, ApiOptions } from '../api/api-dependencies.js';
import type { EndSession, ReadSession } from '../domain/signed-in.js';
import type { Workspace } from '../workspace/workspace.js';

/** The running service, as far as this face needs it. */
export interface ConsoleDependencies extends ApiDependencies {
  readonly people: Pick<People, 'identities'>;
  /** @throws Refusal UNAVAILABLE when the workspace exists and could not be opened */
  find(workspace: string): Workspace | undefined;
}

export interface ConsoleOptions extends Pick<
  ApiOptions,
  'log' | 'later' | 'addressOf' | 'observer' | 'validateResponses'
> {
  /** The service's address for browsers; with a proxy's path prefix, without a slash at the end. */
  readonly url: string;
  readonly readSession: ReadSession;
  readonly endSession: EndSession;
}
