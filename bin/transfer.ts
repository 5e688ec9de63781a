import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addCommand, readConfig, type CalledWith } from './options.js';
import { askOwner } from './owner.js';
import { fail, refused } from './print.js';

const workspaceOption = ['--workspace <name>', 'may be left out where there is only one'] as const;

/** import, audit export: what moves much between the data and this machine's files. */
export function addTransferCommands(program: Command): void {
  const importing = addCommand(program, {
    words: 'import',
    description:
      'Bring the files below a folder of this machine in. What is there already stays as it is, so an interrupted import is run again and goes on.',
    example: 'cartulary import ./handbook --into handbook',
  })
    .argument('<directory>', 'the folder to read; on the machine that the service runs on')
    .requiredOption('--into <folder>', 'location to bring it to; / is the root of the workspace')
    .option(...workspaceOption);
  importing.action((directory: string) => importDirectory(directory, importing.opts<CalledWith>()));

  const exporting = addCommand(program, {
    words: 'audit export',
    description: 'Print the audit log, a line of JSON for each record. `cartulary audit verify --export` checks it.',
    example: 'cartulary audit export > audit.jsonl',
  })
    .option('--no-texts', 'leave out what the records are about in the clear, for an auditor who must not see it')
    .option(...workspaceOption);
  exporting.action(() => exportAudit(exporting.opts<CalledWith>()));
}

interface ImportProgress {
  readonly created: number;
  readonly unchanged: number;
  readonly skipped: number;
  readonly seconds: number;
}

interface ImportResult {
  readonly created: number;
  readonly unchanged: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly seconds: number;
}

async function importDirectory(directory: string, options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const asJson = options['json'] === true;
  const request = {
    command: 'import',
    workspace: config.workspace ?? undefined,
    fields: { directory: resolve(directory), into: options['into'] },
  };
  const answer = await askOwner(config, request, async (progress) => showProgress(progress as ImportProgress));
  if ('error' in answer) {
    fail(answer.error, asJson);
    return;
  }
  const result = answer.result as ImportResult;
  const { created, unchanged, skipped, seconds } = result;
  showProgress({ created, unchanged, skipped: skipped.length, seconds });
  if (process.stderr.isTTY) process.stderr.write('\n');
  if (asJson) console.log(JSON.stringify(result));
  else {
    for (const { path, reason } of skipped) console.log(`skipped  ${path}  ${reason}`);
    console.log(`${created} created, ${unchanged} unchanged, ${skipped.length} skipped in ${seconds.toFixed(1)} s.`);
  }
  if (skipped.length > 0 && created + unchanged === 0) {
    console.error('cartulary: nothing could be brought in; the reasons stand above.');
    process.exitCode = refused;
  }
}

/** A line that a terminal overwrites, and a file keeps. */
function showProgress({ created, unchanged, skipped, seconds }: ImportProgress): void {
  const done = created + unchanged;
  const rate = seconds > 0 ? Math.round(done / seconds) : done;
  const line = `${created} created, ${unchanged} unchanged, ${skipped} skipped (${rate} a second)`;
  process.stderr.write(process.stderr.isTTY ? `\r${line}\u001B[K` : `${line}\n`);
}

async function exportAudit(options: CalledWith): Promise<void> {
  const config = readConfig(options);
  const request = {
    command: 'audit.export',
    workspace: config.workspace ?? undefined,
    fields: { no_texts: options['texts'] === false },
  };
  const answer = await askOwner(config, request, async (part) => {
    const { lines } = part as { readonly lines: readonly string[] };
    if (!process.stdout.write(`${lines.join('\n')}\n`)) await once(process.stdout, 'drain');
  });
  if ('error' in answer) {
    fail(answer.error, options['json'] === true);
  } else console.error(`${(answer.result as { records: number }).records} records exported.`);
}
