import type { RemovalReceipt } from '../backup/removed-workspace.js';
import type { Caller } from '../domain/caller.js';
import type { Clock, Randomness } from '../domain/clock.js';
import type { Readiness, RepositoryFault, RepositoryLag } from '../domain/readiness.js';
import type { Copies } from '../journal/copies.js';
import type { Operation } from '../operations/operation.js';
import type { Workspace } from '../workspace/workspace.js';
import type { Fields } from './fields.js';

/** One command, as the command line asks for it: over the socket as one line of JSON, or directly. */
export interface CommandRequest {
  /** Its name in the table, e.g. `principal.add`. */
  readonly command: string;
  /** May be left out where there is only one workspace. */
  readonly workspace?: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Whether content follows it. */
  readonly hasContent?: boolean;
}

/** A refusal or a fault, as shown. */
export interface CommandError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The answer, a line each: any number of the first kind, and one of the others at the end. */
export type CommandLine =
  { readonly progress: unknown } | { readonly result: unknown } | { readonly error: CommandError };

/** The running server's facts about itself. */
export interface ServerFacts {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  /** Where its metrics are; null where they are not served. A server of another release may not say it. */
  readonly metrics?: string | null;
  /** RFC 3339. */
  readonly started_at: string;
  /** Whether it runs for one client, and ends with it. */
  readonly is_temporary: boolean;
}

/** The service for commands: all workspaces of a data folder. */
export interface CommandDependencies {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** null for one in memory. */
  readonly dataFolder: string | null;
  /** What keeps copies elsewhere; undefined for nothing. */
  readonly copies?: Copies | undefined;
  find(name: string): Workspace | undefined;
  names(): string[];
  addWorkspace(name: string): Promise<Workspace>;
  /** All that are listed, also those that could not be opened. Times are milliseconds since 1970. */
  listWorkspaces(): readonly { readonly name: string; readonly createdAt: number }[];
  /** For good. @throws Refusal INVALID_REQUEST; Error where nothing has happened */
  removeWorkspace(name: string): Promise<RemovalReceipt>;
  /** Whether the service can do its work. Never throws. */
  readiness(): Promise<Readiness>;
  /** Commits that wait for a repository that cannot be written. */
  findLags(): readonly RepositoryLag[];
  /** What stands in the way of the maintenance of repositories. */
  findFaults(): readonly RepositoryFault[];
}

/** The context of every command. */
export interface CommandContext {
  readonly host: CommandDependencies;
  /** The command's server; null when it runs by itself. */
  readonly server: ServerFacts | null;
  /** Where the service answers, or will once it runs: without a slash at the end. */
  readonly address: string;
  /** The operator, with the request's id. */
  readonly caller: Caller;
  /**
   * Reports the progress of a long command, or hands over a part of a long answer. It waits where the receiver is slow.
   */
  readonly onProgress: (progress: unknown) => Promise<void>;
  /** What the caller sends behind the request, read as it is asked for. */
  readonly content: AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller has left, or the server stops. */
  readonly signal: AbortSignal;
}

export interface WorkspaceContext extends CommandContext {
  readonly workspace: Workspace;
  /** `perform`, for the operator in this workspace. */
  readonly perform: <Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
  ) => Promise<Result>;
}

/** A line of the table: reads fields, performs operations, and presents the result as plain JSON data. */
export type Command =
  | { readonly scope: 'service'; run(context: CommandContext, fields: Fields): Promise<unknown> }
  | {
      readonly scope: 'workspace';
      /** The meaning of NOT_FOUND here, in words. The operator reaches everything, so it gives nothing away. */
      readonly absent?: string;
      run(context: WorkspaceContext, fields: Fields): Promise<unknown>;
    };

/** A command about one workspace. @param absent the meaning of NOT_FOUND here, in words */
export function inWorkspace(
  run: (context: WorkspaceContext, fields: Fields) => Promise<unknown>,
  absent?: string,
): Command {
  return absent === undefined ? { scope: 'workspace', run } : { scope: 'workspace', absent, run };
}
