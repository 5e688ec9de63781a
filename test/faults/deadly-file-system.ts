import { nodeFileSystem, type FileSystem } from '../../lib/git/file-system.js';

/** When a process ends itself. */
export interface Death {
  /** In the middle of the n-th change of a file of the repository, before or after it; 0 for never. */
  readonly dieAtChange: number;
  readonly dieAfter: boolean;
}

/** The disk, with a sudden end built in. */
export function makeDeadly({ dieAtChange, dieAfter }: Death): FileSystem {
  if (dieAtChange === 0) return nodeFileSystem;
  let changes = 0;
  const deadly = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    changes += 1;
    const isLast = changes === dieAtChange;
    if (isLast && !dieAfter) process.kill(process.pid, 'SIGKILL');
    const result = await work();
    if (isLast) process.kill(process.pid, 'SIGKILL');
    return result;
  };
  return {
    ...nodeFileSystem,
    openNew: async (path, mode) => {
      const file = await deadly(() => nodeFileSystem.openNew(path, mode));
      return {
        ...file,
        write: (bytes, offset, length) => deadly(() => file.write(bytes, offset, length)),
        sync: () => deadly(() => file.sync()),
        close: () => file.close(),
      };
    },
    mkdir: (path) => deadly(() => nodeFileSystem.mkdir(path)),
    rename: (from, to) => deadly(() => nodeFileSystem.rename(from, to)),
    unlink: (path) => deadly(() => nodeFileSystem.unlink(path)),
    syncFolder: (path) => deadly(() => nodeFileSystem.syncFolder(path)),
  };
}
