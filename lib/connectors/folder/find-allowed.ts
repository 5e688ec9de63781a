import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { EnclosedFolder } from '../../disk/enclosed-folder.js';
import { UnfitFile } from '../../disk/open-regular.js';
import { SourceFault, type SourceMeans } from '../source.js';

/**
 * Opens a folder of this machine, if those who run the service let connectors read it. A path that they do not let is
 * not looked at, so the answer does not tell whether anything is there.
 * @throws SourceFault
 */
export async function openAllowed(
  path: string,
  { allowance, dataFolder }: Pick<SourceMeans, 'allowance' | 'dataFolder'>,
): Promise<EnclosedFolder> {
  if (!isAbsolute(path) || path.includes('\0')) throw notAllowed();
  const wanted = resolve(path);
  const above = allowance.folders.map((each) => resolve(each)).find((each) => isWithin(wanted, each));
  if (above === undefined) throw notAllowed();
  try {
    const real = join(await realpath(above), relative(above, wanted));
    await requireNoLink(await realpath(above), real);
    const folder = await EnclosedFolder.open(real);
    if (folder.path !== real) throw linked();
    if (dataFolder !== null) await requireApart(folder.path, dataFolder);
    return folder;
  } catch (error) {
    throw faultOf(error);
  }
}

/** Whether it is the folder, or lies in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** No folder below the allowed one may be a link: it would lead elsewhere, now or later. */
async function requireNoLink(from: string, to: string): Promise<void> {
  let each = from;
  for (const name of relative(from, to).split(sep)) {
    each = join(each, name);
    const stats = await lstat(each);
    if (stats.isSymbolicLink()) throw linked();
    if (!stats.isDirectory()) throw missing();
  }
}

async function requireApart(folder: string, dataFolder: string): Promise<void> {
  const data = await realpath(dataFolder);
  const [one, other] = [await stat(folder), await stat(data)];
  const isSame = one.dev === other.dev && one.ino === other.ino;
  if (isSame || isWithin(folder, data) || isWithin(data, folder)) throw ownData();
}

/** A fault of the whole source in words. */
export function faultOf(error: unknown): unknown {
  if (error instanceof UnfitFile) return missing(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ESTALE') return missing(error);
  if (code === 'EACCES' || code === 'EPERM') {
    const message =
      "This service's account may not list the folder. Give the account the right to read it, then sync again.";
    return new SourceFault('auth', message, { cause: error });
  }
  if (error instanceof Error && 'syscall' in error) {
    return new SourceFault('internal', `The folder cannot be read (${code}).`, { cause: error });
  }
  return error;
}

export function missing(cause?: unknown): SourceFault {
  const message = 'The folder does not exist. Check its path, and that its drive is mounted.';
  return new SourceFault('not_found', message, { cause });
}

/** The refusal of the service's own data. */
export function ownData(): SourceFault {
  return new SourceFault(
    'denied_egress',
    'The folder holds the data of this service, or lies in it. Choose a folder that is apart from it.',
  );
}

function notAllowed(): SourceFault {
  return new SourceFault(
    'denied_egress',
    'This service may not mirror the folder. Ask those who run it to add the folder to the setting connector_folders.',
  );
}

function linked(): SourceFault {
  return new SourceFault(
    'denied_egress',
    'The path of the folder leads through a symbolic link, which is not followed. Give the path that the link names.',
  );
}
