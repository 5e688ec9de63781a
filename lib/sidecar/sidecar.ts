import { AuditTable } from './audit-table.js';
import { CredentialTable } from './credential-table.js';
import { openForReading, openForWriting, type Connection } from './database.js';
import { DocumentTable } from './document-table.js';
import { FolderTable } from './folder-table.js';
import { GrantTable } from './grant-table.js';
import { GroupTable } from './group-table.js';
import { IdempotencyTable } from './idempotency-table.js';
import { LabelTable } from './label-table.js';
import { MetaTable } from './meta-table.js';
import { migrate } from './migrate.js';
import { ObjectTable } from './object-table.js';
import { PrincipalTable } from './principal-table.js';
import { makeTransaction, type Transaction } from './transaction.js';
import { VersionTable } from './version-table.js';

/** All tables of a workspace over one connection. What they return is the state as that connection sees it. */
export interface Tables {
  readonly meta: MetaTable;
  readonly principals: PrincipalTable;
  readonly groups: GroupTable;
  readonly grants: GrantTable;
  readonly credentials: CredentialTable;
  readonly folders: FolderTable;
  readonly documents: DocumentTable;
  readonly versions: VersionTable;
  readonly labels: LabelTable;
  readonly idempotency: IdempotencyTable;
  readonly objects: ObjectTable;
  readonly audit: AuditTable;
}

function makeTables(connection: Connection): Tables {
  return {
    meta: new MetaTable(connection),
    principals: new PrincipalTable(connection),
    groups: new GroupTable(connection),
    grants: new GrantTable(connection),
    credentials: new CredentialTable(connection),
    folders: new FolderTable(connection),
    documents: new DocumentTable(connection),
    versions: new VersionTable(connection),
    labels: new LabelTable(connection),
    idempotency: new IdempotencyTable(connection),
    objects: new ObjectTable(connection),
    audit: new AuditTable(connection),
  };
}

/**
 * A workspace's SQLite file: one connection that writes and belongs to the journal, one that can only read.
 * In memory both are the same connection, which is safe because a turn is synchronous.
 */
export interface Sidecar {
  readonly writer: Tables;
  readonly reader: Tables;
  readonly transaction: Transaction;
  /** Problems that SQLite finds in its own file; empty when sound. */
  checkIntegrity(): string[];
  close(): void;
}

/**
 * @param file a path, or `:memory:`
 * @param migrations the folder with the schema's steps
 * @throws Error when the file cannot be opened, is corrupt, or is newer than this release
 */
export function openSidecar(file: string, migrations: string): Sidecar {
  const writing = openForWriting(file);
  try {
    migrate(writing, migrations);
    const reading = file === ':memory:' ? writing : openForReading(file);
    return {
      writer: makeTables(writing),
      reader: reading === writing ? makeTables(writing) : makeTables(reading),
      transaction: makeTransaction(writing),
      checkIntegrity: () =>
        (reading.pragma('integrity_check') as { integrity_check: string }[])
          .map((row) => row.integrity_check)
          .filter((line) => line !== 'ok'),
      close() {
        if (reading !== writing) reading.close();
        writing.close();
      },
    };
  } catch (error) {
    writing.close();
    throw error;
  }
}

/** Opens the file for looking only, beside a server that may be running. */
export function openSidecarReadOnly(file: string): { readonly reader: Tables; checkIntegrity(): string[]; close(): void } {
  const reading = openForReading(file);
  return {
    reader: makeTables(reading),
    checkIntegrity: () =>
      (reading.pragma('integrity_check') as { integrity_check: string }[])
        .map((row) => row.integrity_check)
        .filter((line) => line !== 'ok'),
    close: () => reading.close(),
  };
}
