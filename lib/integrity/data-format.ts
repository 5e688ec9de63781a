import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorkspaceFolders } from './find-workspace-folders.js';
import { pathsOf, serviceName } from '../journal/workspace-paths.js';
import { readSchemaNumber } from '../sidecar/schema-number.js';

/** How data lies in its files: the number of the last step of a workspace's file, and of the service's own. */
export interface DataFormat {
  /** Null in a folder without a workspace. */
  readonly workspaces: number | null;
  readonly service: number;
}

/** `25.8`, and `-.8` without a workspace. */
export const nameFormat = ({ workspaces, service }: DataFormat): string => `${workspaces ?? '-'}.${service}`;

/** Says which version wrote the folder last. The numbers in the files themselves are what counts. */
const markName = 'format.json';

/** What a data folder holds. */
export interface FolderFormat {
  /** The lowest numbers: those of what an upgrade has not reached. */
  readonly oldest: DataFormat;
  /** The highest numbers. */
  readonly newest: DataFormat;
  /** The version that opened it last for writing; null where it was never noted. */
  readonly version: string | null;
}

/**
 * Reads the format of a data folder from the bytes of its files. Changes nothing, also beside a running server. Only
 * where a workspace differs from the program, the list of workspaces is asked whether it is one of them.
 * @returns undefined where there is no data yet
 * @throws Error when a file cannot be read
 */
export async function readFormat(dataFolder: string, program: DataFormat): Promise<FolderFormat | undefined> {
  const service = readSchemaNumber(join(dataFolder, serviceName));
  if (service === undefined || service === 0) return undefined;
  const found = readdirSync(dataFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => ({ name, number: readSchemaNumber(pathsOf(dataFolder, name).sidecar) ?? 0 }))
    .filter(({ number }) => number > 0);
  const differs = found.some(({ number }) => number !== program.workspaces);
  const listed = differs && service <= program.service ? await listNames(dataFolder) : undefined;
  const numbers = found.filter(({ name }) => listed?.includes(name) ?? true).map(({ number }) => number);
  const none = numbers.length === 0;
  return {
    oldest: { workspaces: none ? null : Math.min(...numbers), service },
    newest: { workspaces: none ? null : Math.max(...numbers), service },
    version: readVersion(dataFolder),
  };
}

/** SQLite is not loaded for a folder that is as it should be. */
async function listNames(dataFolder: string): Promise<readonly string[]> {
  const { listWorkspaces } = await import('./open-data-folder.js');
  return listWorkspaces(dataFolder);
}

/** How a folder's format stands to a program's. */
export type FormatVerdict = 'same' | 'older' | 'newer';

export function compareFormat({ oldest, newest }: FolderFormat, program: DataFormat): FormatVerdict {
  const isAbove = (a: number | null, b: number | null): boolean => a !== null && b !== null && a > b;
  if (isAbove(newest.workspaces, program.workspaces) || newest.service > program.service) return 'newer';
  if (isAbove(program.workspaces, oldest.workspaces) || oldest.service < program.service) return 'older';
  return 'same';
}

/** The folder is not one that the program can open as it is. The message says what to do. Nothing was changed. */
export class OtherFormat extends Error {
  override readonly name = 'OtherFormat';
  readonly code = 'CONFLICT';
  readonly details: { readonly reason: OtherReason };

  constructor(reason: OtherReason, message: string) {
    super(message);
    this.details = { reason };
  }
}

type OtherReason = 'data_too_new' | 'upgrade_needed' | 'service_file_missing';

/**
 * Explains that the service's own file is gone beside workspaces. A new one in its place would know none of them.
 * @returns undefined where it is there, or nothing else is
 */
export function explainMissingFile(dataFolder: string): string | undefined {
  // In this order: a process that makes the first workspace has made the file before.
  const names = findWorkspaceFolders(dataFolder);
  if (names.length === 0 || (readSchemaNumber(join(dataFolder, serviceName)) ?? 0) > 0) return undefined;
  const shown = names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
  return `${serviceName} is missing in ${dataFolder}, but workspaces lie there: ${shown}. Put it back, or bring each workspace back from its backup with \`cartulary restore\`, into another data folder. Nothing was changed.`;
}

/** @throws OtherFormat when the service's own file is gone beside workspaces */
export function refuseMissingFile(dataFolder: string): void {
  const message = explainMissingFile(dataFolder);
  if (message !== undefined) throw new OtherFormat('service_file_missing', message);
}

/** A program: its version, and the format that it reads and writes. */
export interface ProgramFormat {
  readonly version: string;
  readonly format: DataFormat;
}

/** @throws OtherFormat when a newer version wrote the folder */
export function refuseNewer(dataFolder: string, found: FolderFormat, { version, format }: ProgramFormat): void {
  if (compareFormat(found, format) !== 'newer') return;
  const writer = found.version === null ? 'a later version' : `Cartulary ${found.version}`;
  const known = `This is Cartulary ${version}, which knows formats up to ${nameFormat(format)}.`;
  const remedy = `Use ${found.version === null ? 'that version' : `version ${found.version} or a later one`}, or restore a backup from before the upgrade into another folder.`;
  throw new OtherFormat(
    'data_too_new',
    `${dataFolder} has data format ${nameFormat(found.newest)}, written by ${writer}. ${known} ${remedy} Nothing was changed.`,
  );
}

/** @throws OtherFormat when the folder has to be upgraded before this program can use it */
export function refuseOlder(dataFolder: string, found: FolderFormat, { version, format }: ProgramFormat): void {
  if (compareFormat(found, format) !== 'older') return;
  const writer = found.version === null ? 'an earlier version' : `Cartulary ${found.version}`;
  throw new OtherFormat(
    'upgrade_needed',
    `${dataFolder} has data format ${nameFormat(found.oldest)}, written by ${writer}. This is Cartulary ${version}, which uses ${nameFormat(format)}. \`cartulary serve --upgrade auto\` upgrades it, and earlier versions cannot open it afterwards: make a backup with the earlier version first. Nothing was changed.`,
  );
}

/** Notes which version writes the folder from now on. */
export function markFormat(dataFolder: string, { version, format }: ProgramFormat): void {
  const text = `${JSON.stringify({ version, ...format })}\n`;
  const file = join(dataFolder, markName);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** @returns null where the file is absent, or is nothing that this program wrote */
function readVersion(dataFolder: string): string | null {
  try {
    const mark: unknown = JSON.parse(readFileSync(join(dataFolder, markName), 'utf8'));
    const { version } = (mark ?? {}) as { readonly version?: unknown };
    return typeof version === 'string' && /^[\w.+-]{1,64}$/.test(version) ? version : null;
  } catch {
    return null;
  }
}
