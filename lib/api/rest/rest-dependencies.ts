import type { ApiDependencies, ApiOptions } from '../api-dependencies.js';
import type { Readiness } from '../../domain/readiness.js';
import type { Workspace } from '../../workspace/workspace.js';

/** The running service, as far as this face needs it. */
export interface RestDependencies extends ApiDependencies {
  find(workspace: string): Workspace | undefined;
  names(): readonly string[];
  /** Whether the service can do its work. Never throws. */
  readiness(): Promise<Readiness>;
}

/** The running build of the program. */
export interface Build {
  readonly version: string;
  /** Forty hex digits; null when the build does not know. */
  readonly commit: string | null;
}

export interface RestOptions extends Pick<
  ApiOptions,
  'log' | 'later' | 'addressOf' | 'observer' | 'corsOrigins' | 'validateResponses'
> {
  readonly build: Build;
  /** The path prefix of a proxy in front, without a slash at its end; none when left out. */
  readonly base?: string;
}
