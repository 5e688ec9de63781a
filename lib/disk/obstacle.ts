import { accessSync, constants, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';

/** What keeps the program from a file, whatever the file holds: an account's rights, the mount, or a full disk. */
export type Obstacle = 'permission' | 'read_only' | 'no_room';

const obstacles: Readonly<Record<string, Obstacle>> = {
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'read_only',
  ENOSPC: 'no_room',
  EDQUOT: 'no_room',
};

/** The system's obstacle behind an error, also where the error has it as its cause; undefined for any other fault. */
export function obstacleOf(error: unknown): Obstacle | undefined {
  let each = error;
  for (let depth = 0; depth < maxDepth && each instanceof Error; depth += 1) {
    const found = obstacles[(each as NodeJS.ErrnoException).code ?? ''];
    if (found !== undefined) return found;
    each = each.cause;
  }
  return undefined;
}

const maxDepth = 8;

/** The system's code for an access that it refuses; undefined where it is allowed. */
function refusalOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'EACCES';
  }
}

/** Whether the folder lies on a disk that is mounted read-only, such as a snapshot. */
export function isOnReadOnlyDisk(folder: string): boolean {
  return refusalOf(folder, constants.W_OK) === 'EROFS';
}

/**
 * Finds what this account may not read: the path, or the first file or folder below it. Links are left alone.
 * @returns undefined where it may read everything, or nothing is there
 */
export function findUnreadable(path: string): string | undefined {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  // Sockets and links have no content of their own.
  if (entry === undefined || (!entry.isFile() && !entry.isDirectory())) return undefined;
  const isFolder = entry.isDirectory();
  const code = refusalOf(path, isFolder ? constants.R_OK | constants.X_OK : constants.R_OK);
  if (code === 'EACCES' || code === 'EPERM') return path;
  if (!isFolder) return undefined;
  for (const name of namesIn(path)) {
    const found = findUnreadable(join(path, name));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The names in a folder; none where it went meanwhile, since a service may be running. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Whether this account may use a folder: undefined where it may, or where nothing is there. Otherwise the path at which
 * it is stopped: the folder, or one above it.
 */
export function findClosedFolder(folder: string): string | undefined {
  // A file is no closed folder: no account can enter it, whatever its mode says.
  if (isFile(folder)) return undefined;
  return findStop(folder, constants.R_OK | constants.X_OK);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

function findStop(folder: string, mode: number): string | undefined {
  const code = refusalOf(folder, mode);
  if (code !== 'EACCES' && code !== 'EPERM') return undefined;
  const above = dirname(folder);
  return above === folder ? folder : (findStop(above, constants.X_OK) ?? folder);
}

/** The name of the account that owns a file, or its number where it has no name. */
export function nameOwner(path: string): string {
  const { uid } = statSync(path);
  return nameAccount(uid);
}

function nameAccount(uid: number): string {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    const name = lines.map((line) => line.split(':')).find((fields) => fields[2] === String(uid))?.[0];
    if (name !== undefined && /^[\w.-]+$/.test(name)) return name;
  } catch {
    // The system keeps its accounts elsewhere.
  }
  return `#${uid}`;
}

/** The name of the account that runs this program. */
export function nameSelf(): string {
  const uid = process.geteuid?.();
  return uid === undefined ? userInfo().username : nameAccount(uid);
}
