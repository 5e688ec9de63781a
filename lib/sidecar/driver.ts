import { createRequire } from 'node:module';
import type Driver from 'better-sqlite3';

/** An open SQLite connection. The type stays within this folder. */
export type Connection = Driver.Database;
export type PreparedStatement<Parameters extends unknown[], Row> = Driver.Statement<Parameters, Row>;
export type RunResult = Driver.RunResult;

const require = createRequire(import.meta.url);

/**
 * No version of better-sqlite3 serves every Node (decision 0291). Version 13 is built for Node-API 10 and ends the
 * process of a Node without it, as of Node 20. Version 12 ends the process of Node 24.19 and later.
 */
const hasNodeApi10 = Number(process.versions['napi']) >= 10;

let loaded: typeof Driver | undefined = undefined;

/**
 * The version of better-sqlite3 for this Node. It is loaded at the first call.
 * @throws Error that says what to do, where it is not installed
 */
export function loadDriver(): typeof Driver {
  if (loaded !== undefined) return loaded;
  try {
    loaded = (hasNodeApi10 ? require('better-sqlite3-13') : require('better-sqlite3')) as typeof Driver;
    return loaded;
  } catch (error) {
    throw adviseInstalling(error);
  }
}

/**
 * Opens an SQLite file.
 * @param file a path, `:memory:`, or the empty text for a file without a name
 * @throws SqliteError, or an Error that says what to do where the driver cannot be loaded
 */
export function connect(file: string, options: Driver.Options = {}): Connection {
  const Database = loadDriver();
  try {
    return new Database(file, options);
  } catch (error) {
    // The compiled part of the driver is loaded for the first connection.
    throw isMissingBinary(error) ? adviseInstalling(error) : error;
  }
}

export function isSqliteError(error: unknown): error is InstanceType<typeof Driver.SqliteError> {
  return loaded !== undefined && error instanceof loaded.SqliteError;
}

const isMissingBinary = (error: unknown): error is Error =>
  error instanceof Error &&
  (['ERR_DLOPEN_FAILED', 'MODULE_NOT_FOUND'].includes((error as NodeJS.ErrnoException).code ?? '') ||
    error.message.startsWith('Could not locate the bindings file'));

function adviseInstalling(cause: unknown): Error {
  const { arch, platform, version } = process;
  const binary = hasNodeApi10 ? '' : ' Where npm finds no prebuilt binary, it needs a C++ compiler, make and python3.';
  const [first] = String(cause).split('\n', 1);
  const advice = `Install Cartulary again with this Node and with optional packages.${binary}`;
  return new Error(
    `better-sqlite3 does not load in Node ${version.slice(1)} on ${platform} ${arch}. ${advice} (${first})`,
    {
      cause,
    },
  );
}
