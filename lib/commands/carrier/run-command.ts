import { describeError } from '../../domain/describe-error.js';
import { invalidRequest, Refusal } from '../../domain/refusal.js';
import { requireWellFormed } from '../../domain/well-formed.js';
import { WorkspaceUnsound } from '../../journal/recover.js';
import type { Operation } from '../../operations/operation.js';
import { perform } from '../../operations/perform.js';
import type { Workspace } from '../../workspace/workspace.js';
import type {
  Command,
  CommandContext,
  CommandError,
  CommandDependencies,
  CommandLine,
  CommandRequest,
  ServerFacts,
} from '../command.js';
import { findCommand } from '../command-tables.js';
import { Fields } from '../fields.js';
import { makeOperator } from '../initialize.js';
import { presentRefusal } from '../command-refusal.js';

export interface RunOptions {
  readonly host: CommandDependencies;
  readonly server: ServerFacts | null;
  readonly address: string;
  readonly onProgress: CommandContext['onProgress'];
  readonly content?: CommandContext['content'];
  readonly signal: AbortSignal;
  /** Receives internal faults, under the request's id. */
  readonly onFault: (what: string, cause: unknown) => void;
}

/** Runs a command as the operator. Never throws: an error is an answer too. */
export async function runCommand(
  request: CommandRequest,
  options: RunOptions,
): Promise<Exclude<CommandLine, { progress: unknown }>> {
  const { host, server, address, onProgress, content, signal } = options;
  const caller = makeOperator(host.randomness);
  let command: Command | undefined;
  try {
    command = await findCommand(request.command);
    if (command === undefined) {
      throw invalidRequest('unknown_command', `The server knows no command "${request.command}". Are both up to date?`);
    }
    requireWellFormed(request.fields, 'fields');
    requireWellFormed(request.workspace, 'workspace');
    const context: CommandContext = { host, server, address, caller, onProgress, content, signal };
    const fields = new Fields(request.fields);
    if (command.scope === 'service') return { result: await command.run(context, fields) };
    const workspace = chooseWorkspace(host, request.workspace);
    const result = await command.run(
      {
        ...context,
        workspace,
        perform: async <Input, Result, Prepared>(operation: Operation<Input, Result, Prepared>, input: Input) =>
          (await perform(workspace, caller, operation, input)).result,
      },
      fields,
    );
    return { result };
  } catch (error) {
    if (isInterruption(error, signal)) {
      const howToGoOn = request.command === 'import' ? ' Run it again: it goes on where it stopped.' : '';
      return { error: { code: 'UNAVAILABLE', message: `The command was interrupted.${howToGoOn}` } };
    }
    if (!(error instanceof Refusal) || error.code === 'INTERNAL') {
      options.onFault(`The command ${request.command} failed (${caller.requestId})`, causeOf(error));
    }
    return { error: presentError(error, caller.requestId, command) };
  }
}

/** @throws Refusal INVALID_REQUEST when none is named and there is not exactly one; NOT_FOUND for an unknown one */
function chooseWorkspace(host: CommandDependencies, name: string | undefined): Workspace {
  const names = host.names();
  const chosen = name ?? (names.length === 1 ? names[0] : undefined);
  const found = chosen === undefined ? undefined : host.find(chosen);
  if (found !== undefined) return found;
  if (names.length === 0) {
    throw invalidRequest('no_workspace', 'There is no workspace yet. `cartulary init` makes one.', {
      field: 'workspace',
    });
  }
  const problem = chosen === undefined ? 'Say which workspace' : `There is no workspace "${chosen}". Choose one`;
  throw invalidRequest('bad_field', `${problem} with --workspace: ${names.join(', ')}.`, { field: 'workspace' });
}

/** Whether it ended because its caller left, or the server stops. Neither is a fault. */
function isInterruption(error: unknown, { aborted, reason }: AbortSignal): boolean {
  const cause = causeOf(error);
  return aborted && (cause === reason || (cause instanceof Error && cause.name === 'AbortError'));
}

const causeOf = (error: unknown): unknown => (error instanceof Refusal ? (error.cause ?? error) : error);

function presentError(error: unknown, requestId: string, command: Command | undefined): CommandError {
  if (error instanceof Refusal && error.code !== 'INTERNAL') {
    // Another try would meet the same.
    if (error.cause instanceof WorkspaceUnsound) return { code: error.code, message: error.cause.message };
    const absent = command?.scope === 'workspace' && error.code === 'NOT_FOUND' ? command.absent : undefined;
    const shown = presentRefusal(error);
    return absent === undefined ? shown : { ...shown, message: absent };
  }
  // The caller of a command owns the machine, so the cause helps more than a request id alone.
  const cause = causeOf(error);
  const reason = describeError(cause);
  return { code: 'INTERNAL', message: `The command failed: ${reason}`, details: { request_id: requestId } };
}
