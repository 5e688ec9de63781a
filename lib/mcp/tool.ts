import type { CursorOwner, CursorSealer } from '../access/seal-cursor.js';
import type { OAuthScope } from '../domain/access-token.js';
import type { Caller } from '../domain/caller.js';
import type { Page } from '../domain/page.js';
import type { AuditNote, Need, Operation } from '../operations/operation.js';
import { perform, refuseUnread } from '../operations/perform.js';
import type { Workspace } from '../workspace/workspace.js';

/** A tool's arguments, checked against its input schema. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A call on its way to an operation. */
export interface ToolCall<Args = Arguments> {
  readonly tool: string;
  readonly args: Args;
  readonly workspace: Workspace;
  readonly caller: Caller;
  readonly cursors: CursorSealer;
  /** The owner of a cursor: a credential, or a person's client. */
  readonly owner: string;
  /** Whether the token has the scope for writing. */
  readonly mayWrite: boolean;
  /** Aborted when nobody waits for the answer any more. */
  departure(this: void): AbortSignal;
  /** Counts work as so many requests more of the caller's rate. */
  charge(this: void, requests: number): void;
}

interface ToolEntryDefinition<Args, Input, Result, Prepared> {
  readonly tool: string;
  /** The scope required of an OAuth token. */
  readonly scope: OAuthScope;
  /** Of several entries of a tool, the first with a true result is taken. */
  readonly when?: (args: Args) => boolean;
  /** Arguments with a meaning here; left out: all of the tool's. */
  readonly takes?: readonly (keyof Args & string)[];
  /** Arguments required here, beside the tool's own required ones. */
  readonly requires?: readonly (keyof Args & string)[];
  /** The argument with which another use of the tool would be meant, for the refusal. */
  readonly orElse?: keyof Args & string;
  readonly operation: Operation<Input, Result, Prepared>;
  readonly read: (call: ToolCall<Args>) => Input;
  readonly present: (result: Result, call: ToolCall<Args>) => object | Promise<object>;
}

/** One line of the table: a tool, or one use of it by its arguments, and the operation behind it. */
export interface ToolEntry {
  readonly tool: string;
  readonly scope: OAuthScope;
  readonly takes: readonly string[] | undefined;
  readonly requires: readonly string[];
  readonly orElse: string | undefined;
  readonly isFor: (args: Arguments) => boolean;
  /** Whether the call needs more than the role of a reader somewhere. */
  readonly needsEditor: (call: ToolCall) => boolean;
  /** @returns the content of `structuredContent`. @throws Refusal */
  readonly run: (call: ToolCall) => Promise<object>;
}

const isForEditors = ({ role }: Need): boolean => role !== 'reader';

/**
 * Makes an entry of the table of tools.
 * @returns an entry whose `run` reads checked arguments, performs the operation, and presents the result. An unreadable
 * call is recorded under the operation's name.
 */
export function toolEntry<Args extends object, Input, Result, Prepared>(
  spec: ToolEntryDefinition<Args, Input, Result, Prepared>,
): ToolEntry {
  const { tool, scope, when, takes, requires = [], orElse, operation } = spec;
  return {
    tool,
    scope,
    takes,
    requires,
    orElse,
    isFor: (args) => when === undefined || when(args as Args),
    needsEditor: (call) => operation.needs(spec.read(call as unknown as ToolCall<Args>)).some(isForEditors),
    async run(call) {
      // The schema has checked the arguments. This is the one place that relies on it.
      const checked = call as unknown as ToolCall<Args>;
      const { workspace, caller } = call;
      const input = await readOrRecord(workspace, caller, operation.name, () => spec.read(checked));
      const { result } = await perform(workspace, caller, operation, input);
      return spec.present(result, checked);
    },
  };
}

/**
 * Reads the arguments of a call.
 * @param action the operation's name, for the record of an unreadable call
 * @param note further facts for that record
 * @throws Refusal from `read`, recorded
 */
export async function readOrRecord<Input>(
  workspace: Workspace,
  caller: Caller,
  action: string,
  read: () => Input | Promise<Input>,
  note: AuditNote = {},
): Promise<Input> {
  try {
    return await read();
  } catch (error) {
    throw await refuseUnread(workspace, caller, action, note, error);
  }
}

/** The arguments of every paged tool. */
export interface PageArguments {
  readonly cursor?: string;
  readonly limit?: number;
}

function ownerOf({ tool, args, owner, workspace }: ToolCall<object>): CursorOwner {
  // A page may be of another size than the one before.
  const { cursor: _, limit: __, ...query } = args as PageArguments;
  return { credential: `${workspace.name}/${owner}`, route: `mcp ${tool}`, query };
}

/**
 * The requested page.
 * @returns `after`: the last position of the page before, '' for the first
 * @throws Refusal INVALID_REQUEST `bad_cursor`
 */
export function readPage(
  call: ToolCall<PageArguments>,
  usual: number,
): { readonly after: string; readonly limit: number } {
  const { cursor, limit = usual } = call.args;
  return { after: cursor === undefined ? '' : call.cursors.open(cursor, ownerOf(call)), limit };
}

/** The sealed position to go on from, as a member to spread; nothing on the last page. */
export function presentNext(next: Page<unknown>['next'], call: ToolCall<object>): { readonly next_cursor?: string } {
  return next === null ? {} : { next_cursor: call.cursors.seal(next, ownerOf(call)) };
}
