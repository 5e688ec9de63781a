import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { isAddress } from '../lib/commands/operator/is-address.js';
import { askOwner } from './owner.js';
import { endProgress, fail, note, printJson, printLine, refused, showProgress, writeJsonLines } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;

/** import, audit export: commands that move much data between the data folder and this machine's files. */
export function addTransferCommands(program: Command): void {
  const importing = addCommand(program, {
    words: 'import',
    description:
      'Import the files of a folder, or a git repository: bare, a .git, or a bundle. Existing documents stay as they are. Of a folder, files that its .gitignore files name are left out. An interrupted import continues when you run it again.',
    example: 'cartulary import ./handbook --into handbook\n  $ cartulary import ./wiki.git --history --into wiki',
  })
    .argument('<source>', 'the folder or repository, on the machine of the service')
    .requiredOption('--into <folder>', 'the folder to import to; / is the root of the workspace (required)')
    .option('--ref <ref>', "a repository's branch, tag or commit (default: HEAD); with it the .git of a folder is read")
    .option('--history', 'import commit by commit along the first parents; with it the .git of a folder is read')
    .option('-n, --dry-run', 'write nothing: list what would be created, is unchanged, or would be skipped and why')
    .option('--no-ignore', 'bring in what .gitignore files name, too')
    .option('--skip <names>', 'leave out files and folders of these names, such as node_modules,.env')
    .option('--max-files <number>', 'refuse when there are more files, folders and changes (default: 1000000)')
    .option('--max-bytes <bytes>', 'stop when the files have more than this in all (default: 1000GB)')
    .option(...workspaceOption);
  importing.action((source: string) => importSource(source, importing.opts<CalledWith>()));

  const exporting = addCommand(program, {
    words: 'audit export',
    description: 'Print the audit log, a line of JSON for each record. `cartulary audit verify --export` checks it.',
    example: 'cartulary audit export > audit.jsonl',
  })
    .option(
      '--format <format>',
      'ocsf: events of API Activity (6003), for programs that gather the events of many systems',
    )
    .option('--no-texts', 'leave out the clear texts (locations, names), for an auditor who must not see them')
    .option(...workspaceOption);
  exporting.action(() => exportAudit(exporting.opts<CalledWith>()));
}

interface ImportProgress {
  readonly created: number;
  readonly updated?: number;
  readonly deleted?: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Of a history: the number of commits imported so far, and of all. */
  readonly commits?: number;
  readonly of?: number;
  /** While counting: the number so far. */
  readonly counted?: number;
}

interface ImportResult extends Omit<ImportProgress, 'skipped'> {
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Beyond those, if there are too many to name. */
  readonly skipped_not_named?: number;
  /** `.gitignore` files that left nothing out. */
  readonly unheeded?: ImportResult['skipped'];
  /** Of a dry run. */
  readonly would_create?: readonly string[];
  readonly would_create_not_named?: number;
  /** Files in folders that programs fill, by the folder's name. */
  readonly installed?: Readonly<Record<string, number>>;
}

async function importSource(source: string, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  const request = {
    command: 'import',
    workspace: config.workspace ?? undefined,
    fields: {
      directory: isAddress(source) ? source : resolve(source),
      into: options['into'],
      ref: options['ref'],
      skip: options['skip'],
      history: options['history'] === true,
      dry_run: options['dryRun'] === true,
      no_ignore: options['ignore'] === false,
      max_files: options['maxFiles'],
      max_bytes: options['maxBytes'],
    },
  };
  const stopFollowing = sayHowToGoOn();
  const answer = await askOwner(config, request, async (progress) => printProgress(progress as ImportProgress));
  stopFollowing();
  if ('error' in answer) {
    endProgress('kept');
    fail(answer.error, asJson);
    return;
  }
  const result = answer.result as ImportResult;
  const { created, unchanged, skipped: named, seconds } = result;
  const { updated = 0, deleted = 0, skipped_not_named: notNamed = 0 } = result;
  const skipped = named.length + notNamed;
  printProgress({ created, updated, deleted, unchanged, skipped, seconds });
  endProgress('kept');
  if (asJson) printJson(result);
  else {
    for (const location of result.would_create ?? []) printLine(`create   ${location}`);
    if (result.would_create_not_named !== undefined) printLine(`create   ${result.would_create_not_named} more`);
    for (const { path, reason } of named) printLine(`skipped  ${path}  ${reason}`);
    if (notNamed > 0) printLine(`skipped  ${notNamed} more`);
    const counts = describeCounts({ created, updated, deleted, unchanged, skipped });
    if (result.would_create === undefined) printLine(`${counts} in ${seconds.toFixed(1)} s.`);
    else printLine(`A dry run: nothing was written. An import would do this: ${counts}.`);
    for (const { path, reason } of result.unheeded ?? []) note(`${path} was not heeded: it ${reason}.`);
    for (const [name, count] of Object.entries(result.installed ?? {})) {
      note(`${count} of the files are in folders named ${name}. --skip ${name} leaves such folders out.`);
    }
    if (result.commits !== undefined) printLine(`${result.commits} of ${result.of ?? 0} commits were new.`);
  }
  // A history imported before may leave only commits that are skipped each time.
  const isContinued = result.commits !== undefined && result.commits < (result.of ?? 0);
  if (skipped > 0 && created + updated + deleted + unchanged === 0 && !isContinued) {
    note('cartulary: nothing could be brought in; the reasons stand above.');
    process.exitCode = refused;
  }
}

/**
 * At Ctrl-C, leaves the line of the counter and says how to go on. Beside a server, the command ends then; otherwise
 * the process that imports ends by itself.
 */
function sayHowToGoOn(): () => void {
  const say = (): void => {
    if (process.listenerCount('SIGINT') > 0) return;
    endProgress('kept');
    note('cartulary: The import was interrupted. Run the same command again: it goes on where it stopped.');
    process.exit(interrupted);
  };
  process.once('SIGINT', say);
  return () => void process.off('SIGINT', say);
}

/** The exit code of a shell's command that Ctrl-C ended. */
const interrupted = 130;

function printProgress(progress: ImportProgress): void {
  if (progress.counted !== undefined) {
    showProgress(`looking at what there is: ${progress.counted} so far`);
    return;
  }
  const { created, updated = 0, deleted = 0, unchanged, seconds } = progress;
  const done = created + updated + deleted + unchanged;
  const rate = seconds > 0 ? Math.round(done / seconds) : done;
  const position = progress.commits === undefined ? '' : `commit ${progress.commits} of ${progress.of ?? 0}: `;
  showProgress(`${position}${describeCounts(progress)} (${rate} a second)`);
}

function describeCounts(progress: Omit<ImportProgress, 'seconds'>): string {
  const { created, updated = 0, deleted = 0, unchanged, skipped } = progress;
  const changed = updated + deleted === 0 ? '' : `${updated} updated, ${deleted} deleted, `;
  return `${created} created, ${changed}${unchanged} unchanged, ${skipped} skipped`;
}

async function exportAudit(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const request = {
    command: 'audit.export',
    workspace: config.workspace ?? undefined,
    fields: { no_texts: options['texts'] === false, format: options['format'] },
  };
  const answer = await askOwner(config, request, async (part) => {
    await writeJsonLines((part as { readonly lines: readonly string[] }).lines);
  });
  if ('error' in answer) {
    fail(answer.error, options['json'] === true);
  } else note(`${(answer.result as { records: number }).records} records exported.`);
}
