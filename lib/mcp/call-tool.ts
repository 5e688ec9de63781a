import { faultOfLocation, type Location } from '../domain/location.js';
import { internal, invalidRequest, Refusal } from '../domain/refusal.js';
import { findNearNames } from '../operations/documents/find-near-names.js';
import { refuseUnread } from '../operations/perform.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { checkArguments, chooseEntry } from './check-arguments.js';
import { readDefinitions, type DescribedTool, type ToolDefinition } from './definition.js';
import { presentRefusal, type Meant } from './tool-refusal.js';
import type { TakenArguments } from './normalize-arguments.js';
import { readOrRecord, type ToolEntry } from './tool.js';
import type { RequestContext } from './request-context.js';

/** The action of a call whose arguments leave the operation open. */
const toolCall = 'tool.call';
/** Characters of an unknown tool's name in the record. */
const maxNameLength = 100;

/** A tool's answer, done or refused. */
export interface ToolAnswer {
  /** JSON for the model; for a program too, where the call is done. Undefined where the token's scope is too small. */
  readonly text: string | undefined;
  readonly isError: boolean;
}

/** A refusal as a tool's answer, so that the model sees it. */
export function refuseCall(refusal: Refusal, requestId: string, meant?: Meant): ToolAnswer {
  return { text: JSON.stringify(presentRefusal(refusal, requestId, meant)), isError: true };
}

/** The tools of a table, ready to be called. Knows no protocol. */
export class ToolBox {
  readonly #entries: ReadonlyMap<string, readonly ToolEntry[]>;
  readonly #described: ReadonlyMap<string, DescribedTool>;
  /** As shown to clients, in the table's order. */
  readonly definitions: readonly ToolDefinition[];

  constructor(entries: readonly ToolEntry[]) {
    const byName = new Map<string, ToolEntry[]>();
    for (const entry of entries) byName.set(entry.tool, [...(byName.get(entry.tool) ?? []), entry]);
    this.#entries = byName;
    this.#described = readDefinitions();
    this.definitions = [...byName.keys()].map((name) => this.#describe(name).definition);
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Records the call of an unknown tool. @returns the refusal, or why it could not be recorded */
  refuseUnknown(context: RequestContext, name: string): Promise<Refusal> {
    const { workspace, caller } = context;
    const tool = name.slice(0, maxNameLength).replace(/\p{Surrogate}/gu, '');
    const refusal = invalidRequest('bad_field', 'Unknown tool', { field: 'name' });
    context.refused = refusal;
    return refuseUnread(workspace, caller, toolCall, { detail: { tool } }, refusal);
  }

  /**
   * Calls a known tool. The token's scopes are checked here, before any document is read. Never throws: a refusal is an
   * answer too.
   */
  async call(context: RequestContext, name: string, sent: unknown): Promise<ToolAnswer> {
    let place: unknown;
    let needsEditor = (): boolean => false;
    try {
      const { workspace, caller, cursors, owner, departure, charge } = context;
      const { args, clamped, entry } = await readOrRecord(workspace, caller, toolCall, () => this.#read(name, sent), {
        detail: { tool: name },
      });
      if (!context.scopes.includes(entry.scope)) {
        context.lacking = entry.scope;
        return { text: undefined, isError: true };
      }
      place = args['location'];
      const mayWrite = context.scopes.includes('org:write');
      const call = { tool: name, args, workspace, caller, cursors, owner, mayWrite, departure, charge };
      needsEditor = () => entry.needsEditor(call);
      const done = await entry.run(call);
      const structured = Object.keys(clamped).length === 0 ? done : { ...done, clamped };
      return { text: JSON.stringify(structured), isError: false };
    } catch (error) {
      const refusal = error instanceof Refusal ? error : internal(error);
      context.refused = refusal;
      if (refusal.code === 'INTERNAL') context.onFault(refusal.cause ?? refusal);
      const meant = refusal.code === 'NOT_FOUND' ? findMeant(context, place, needsEditor) : undefined;
      return refuseCall(refusal, context.caller.requestId, meant);
    }
  }

  async #read(name: string, sent: unknown): Promise<TakenArguments & { readonly entry: ToolEntry }> {
    const described = this.#describe(name);
    const taken = await runCooperatively(checkArguments(described, sent));
    return { ...taken, entry: chooseEntry(this.#entries.get(name) ?? [], taken.args) };
  }

  #describe(name: string): DescribedTool {
    const described = this.#described.get(name);
    if (described === undefined) throw new Error(`schema/mcp does not describe ${name}.`);
    return described;
  }
}

/** What the caller may have meant by a place where it found nothing; undefined where that cannot be said. */
function findMeant(
  { workspace, caller }: RequestContext,
  place: unknown,
  needsEditor: () => boolean,
): Meant | undefined {
  if (typeof place !== 'string' || place === '' || faultOfLocation(place) !== undefined) return undefined;
  try {
    const view = workspace.view(caller);
    const location = place as Location;
    // The role by the grants of folders says nothing about what is there: denied and absent get the same bytes.
    const mayOnlyRead = view.reach.roleIn(location) === 'reader' && needsEditor();
    return { ...findNearNames(view, location, view.searchReach()), mayOnlyRead };
  } catch (error) {
    // The refusal is recorded already, and stands without this.
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
