import type { Connection } from './driver.js';

/** The writer's transaction in its parts, for the journal: one group holds many savepoints. All synchronous. */
export interface SqlTransaction {
  begin(): void;
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  /** Durable when it returns. */
  commit(): void;
  rollback(): void;
  readonly isOpen: boolean;
}

/**
 * @param rolledBack called after each rollback, since readers may have seen the undone state
 * @param committed called after each commit, since readers saw the state before it until then
 * @param endReads ends the shared read transaction: before this one begins, since copying the log into the file would
 * wait for it, and after the commit, since the next read has to be new
 */
export function makeSqlTransaction(
  connection: Connection,
  rolledBack: () => void,
  endReads: () => void = () => undefined,
  committed: () => void = () => undefined,
): SqlTransaction {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const savepoint = connection.prepare('SAVEPOINT turn');
  const release = connection.prepare('RELEASE turn');
  const rollbackTo = connection.prepare('ROLLBACK TO turn');
  const commit = connection.prepare('COMMIT');
  return {
    begin: () => {
      endReads();
      begin.run();
    },
    savepoint: () => void savepoint.run(),
    release: () => void release.run(),
    rollbackToSavepoint: () => {
      rollbackTo.run();
      release.run();
      rolledBack();
    },
    commit: () => {
      commit.run();
      endReads();
      committed();
    },
    rollback: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      rolledBack();
    },
    get isOpen() {
      return connection.inTransaction;
    },
  };
}
