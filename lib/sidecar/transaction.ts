import type { Connection } from './database.js';

/** The writer's transaction in its parts, for the journal: one group holds many savepoints. All synchronous. */
export interface Transaction {
  begin(): void;
  savepoint(): void;
  release(): void;
  rollbackToSavepoint(): void;
  /** Durable when it returns. */
  commit(): void;
  rollback(): void;
  readonly isOpen: boolean;
}

/** @param rolledBack called after each rollback, since what it undid may have been looked at */
export function makeTransaction(connection: Connection, rolledBack: () => void): Transaction {
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const savepoint = connection.prepare('SAVEPOINT turn');
  const release = connection.prepare('RELEASE turn');
  const rollbackTo = connection.prepare('ROLLBACK TO turn');
  const commit = connection.prepare('COMMIT');
  return {
    begin: () => void begin.run(),
    savepoint: () => void savepoint.run(),
    release: () => void release.run(),
    rollbackToSavepoint: () => {
      rollbackTo.run();
      release.run();
      rolledBack();
    },
    commit: () => void commit.run(),
    rollback: () => {
      if (connection.inTransaction) connection.exec('ROLLBACK');
      rolledBack();
    },
    get isOpen() {
      return connection.inTransaction;
    },
  };
}
