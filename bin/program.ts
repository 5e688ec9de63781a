import { Command, CommanderError, Help } from 'commander';
import { describeError } from '../lib/domain/describe-error.js';
import { showText } from '../lib/domain/visible-text.js';
import type { OtherFormat } from '../lib/integrity/data-format.js';
import { addAuditCommands } from './audit.js';
import { addBackupCommands } from './backups.js';
import { addChangeCommands } from './changes.js';
import { addCompletionCommand } from './completion.js';
import { addConnectorCommands } from './connectors.js';
import { addDocumentCommands } from './documents.js';
import { addEraseCommands } from './erase.js';
import { addInspectCommands } from './inspect.js';
import { addManageCommands } from './manage.js';
import { addFollowCommands } from './follow.js';
import { ownOptionsFirst } from './options.js';
import { addPreserveCommands } from './preserve.js';
import { fail, misused, printFailure } from './print.js';
import { addReadyCommand } from './ready.js';
import { addServeCommands } from './serve.js';
import { addMcpCommand } from './speak-mcp.js';
import { addTransferCommands } from './transfer.js';
import { readBuild } from '../lib/app/read-build.js';

/** All commands, with their options and help. */
export function makeProgram(): Command {
  const program = new Command('cartulary')
    .description(
      'A shared file store for people, programs and agents. Every write is a git commit, every access is on record.',
    )
    .version(readBuild().version)
    // Options after a command are the command's own: `document restore --version`.
    .enablePositionalOptions()
    .showHelpAfterError('Add --help to see how it is called.')
    .configureHelp({
      showGlobalOptions: false,
      visibleOptions: (command) => ownOptionsFirst(new Help().visibleOptions(command)),
    })
    .configureOutput({ outputError: (text, write) => write(showText(text.replace(/^error: /, 'cartulary: '))) })
    .exitOverride();
  addServeCommands(program);
  addMcpCommand(program);
  addManageCommands(program);
  addAuditCommands(program);
  addChangeCommands(program);
  addDocumentCommands(program);
  addTransferCommands(program);
  addBackupCommands(program);
  addPreserveCommands(program);
  addFollowCommands(program);
  addConnectorCommands(program);
  addEraseCommands(program);
  addInspectCommands(program);
  addReadyCommand(program);
  addCompletionCommand(program);
  return program;
}

/** The reader of the output may stop reading. That is not a failure. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

/** Runs the command of this process, and sets its exit code. */
export async function runProgram(): Promise<void> {
  const asJson = process.argv.includes('--json');
  try {
    await makeProgram().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : misused;
      // Commander has already shown the message to people.
      if (error.exitCode !== 0 && asJson)
        printFailure({ code: 'USAGE', message: error.message.replace(/^error: /, '') }, 'json only');
    } else {
      const isConfiguration = error instanceof Error && error.name === 'ConfigError';
      const message = sayInWords(error) ?? describeError(error);
      if (isOtherFormat(error)) fail({ code: error.code, message: error.message, details: error.details }, asJson);
      else fail({ code: isConfiguration ? 'USAGE' : 'INTERNAL', message }, asJson);
    }
  }
}

/** A data folder that another version writes. Its module is not loaded for every command. */
const isOtherFormat = (error: unknown): error is OtherFormat => error instanceof Error && error.name === 'OtherFormat';

/** Faults of files, by the system's codes. */
const faults: Readonly<Record<string, string>> = {
  EEXIST: 'is in the way: a file is where a folder belongs',
  ENOTDIR: 'cannot be reached: a file is where a folder belongs',
  EISDIR: 'is a folder, and a file is needed',
  ENOENT: 'is not there',
  EACCES: 'is closed to this account',
  EPERM: 'is closed to this account',
  EROFS: 'is on a disk that is mounted read-only',
  ENOSPC: 'cannot be written: the disk is full',
};

/** A fault of a file, with its path; undefined for any other. */
function sayInWords(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // A socket's path is its address.
  const { code = '', address, path = address } = error as NodeJS.ErrnoException & { readonly address?: string };
  const words = faults[code];
  return words === undefined || path === undefined ? undefined : `${path} ${words} (${code}).`;
}
