import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';

/** What decides about it, of this machine and of the environment. */
export interface Account {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The home of the account, where the environment names none. */
  readonly home: () => string;
}

/**
 * Where this account keeps the data of a program, by the custom of its platform.
 * @param names the program's name in lower case, and as it is shown
 * @returns an absolute path, where nothing may lie yet
 */
export function findAccountDataFolder(
  names: { readonly plain: string; readonly shown: string },
  { environment, platform = process.platform, home = homedir }: Partial<Account> & Pick<Account, 'environment'>,
): string {
  const path = platform === 'win32' ? win32 : posix;
  // A relative folder would follow the current one. The XDG Base Directory Specification says to ignore it, too.
  const read = (name: string): string | undefined => {
    const folder = environment[name] ?? '';
    return path.isAbsolute(folder) ? folder : undefined;
  };
  if (platform === 'win32') {
    return path.join(read('LOCALAPPDATA') ?? path.join(read('USERPROFILE') ?? home(), 'AppData', 'Local'), names.shown);
  }
  const own = read('HOME') ?? home();
  if (platform === 'darwin') return path.join(own, 'Library', 'Application Support', names.shown);
  return path.join(read('XDG_DATA_HOME') ?? path.join(own, '.local', 'share'), names.plain);
}
