import type { CursorOwner, CursorSealer } from '../access/seal-cursor.js';
import type { OAuthScope } from '../domain/access-token.js';
import type { Caller } from '../domain/caller.js';
import type { Page } from '../domain/page.js';
import type { AuditNote, Operation } from '../operations/operation.js';
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
  /** Whom a cursor belongs to: a credential, or the client that a person lets act. */
  readonly owner: string;
}

interface ToolEntryDefinition<Args, Input, Result, Prepared> {
  readonly tool: string;
  /** What an OAuth token must have been given for it. */
  readonly scope: OAuthScope;
  /** Of several entries of a tool, the first for whose arguments this holds is taken. */
  readonly when?: (args: Args) => boolean;
  /** Arguments that mean something here; left out: all that the tool has. */
  readonly takes?: readonly (keyof Args & string)[];
  /** Arguments that are needed here, beside those that the tool always needs. */
  readonly requires?: readonly (keyof Args & string)[];
  readonly operation: Operation<Input, Result, Prepared>;
  readonly read: (call: ToolCall<Args>) => Input;
  readonly present: (result: Result, call: ToolCall<Args>) => object | Promise<object>;
}

/** One line of the table: a tool, or what it does for some arguments, and the operation that does it. */
export interface ToolEntry {
  readonly tool: string;
  readonly scope: OAuthScope;
  readonly takes: readonly string[] | undefined;
  readonly requires: readonly string[];
  readonly isFor: (args: Arguments) => boolean;
  /** @returns what `structuredContent` holds. @throws Refusal */
  readonly run: (call: ToolCall) => Promise<object>;
}

/**
 * Makes an entry of the table of tools.
 * @returns what reads a call's arguments, which it believes to be checked, performs the operation, and presents the
 *   result; a call that cannot be read is recorded under the operation's name
 */
export function toolEntry<Args extends object, Input, Result, Prepared>(
  spec: ToolEntryDefinition<Args, Input, Result, Prepared>,
): ToolEntry {
  const { tool, scope, when, takes, requires = [], operation } = spec;
  return {
    tool,
    scope,
    takes,
    requires,
    isFor: (args) => when === undefined || when(args as Args),
    async run(call) {
      // The schema has checked them: this is the one place where that is believed.
      const checked = call as unknown as ToolCall<Args>;
      const { workspace, caller } = call;
      const input = await readOrRecord(workspace, caller, operation.name, () => spec.read(checked));
      const { result } = await perform(workspace, caller, operation, input);
      return spec.present(result, checked);
    },
  };
}

/**
 * Reads what was asked for.
 * @param action the operation's name, under which it is recorded that this could not be read
 * @param note what else the record says then
 * @throws Refusal that `read` threw, recorded
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

/** Arguments that every paged tool has. */
export interface PageArguments {
  readonly cursor?: string;
  readonly limit?: number;
}

function ownerOf({ tool, args, owner, workspace }: ToolCall<object>): CursorOwner {
  const { cursor: _, ...query } = args as PageArguments;
  return { credential: `${workspace.name}/${owner}`, route: `mcp ${tool}`, query };
}

/**
 * Which page is asked for.
 * @returns `after`: the position that the page before ended at, '' for the first
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
