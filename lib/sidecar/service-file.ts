import { existsSync } from 'node:fs';
import { checkIntegrity, checkReferences } from './check-file.js';
import { openForWriting } from './database.js';
import type { Connection } from './driver.js';
import { FollowedFile } from './followed-file.js';
import { openForLooking } from './look.js';
import { migrate } from './migrate.js';
import { OAuthTable } from './tables/oauth-table.js';
import type { PersonPart } from './tables/identity-table.js';
import { PendingRecordTable } from './tables/pending-record-table.js';
import { openPeopleTables, type PeopleTables } from './tables/people-tables.js';
import { ServiceKeyTable, type ServiceKey } from './tables/service-key-table.js';
import { WorkspaceTable, type ListedWorkspace } from './tables/workspace-table.js';

/** The service's own file: the list of workspaces, and keys that belong to no workspace alone. Mode 0600. */
export interface ServiceFile {
  readonly people: PeopleTables;
  readonly oauth: OAuthTable;
  /** Audit records of changes of this file, on their way to the workspaces. */
  readonly records: PendingRecordTable;
  listWorkspaces(): ListedWorkspace[];
  addWorkspace(name: string, createdAt: number): void;
  /** Removes it from the list, if it is there; its keys and people stay until another of its name replaces them. */
  forgetWorkspace(name: string): void;
  /**
   * Deletes everything about a workspace that is removed: its keys, memberships, links, consents and waiting records,
   * and the people who belong to no other. What belongs to a later one of its name stays.
   */
  removeWorkspace(name: string, createdAt: number): void;
  findKey(purpose: string): Uint8Array | undefined;
  /** Keeps an existing key; @returns the key in force */
  addKey(purpose: string, material: Uint8Array, createdAt: number): Uint8Array;
  /** Keys whose purpose begins with the prefix, newest first. */
  listKeys(prefix: string): ServiceKey[];
  removeKey(purpose: string): void;
  /** The rows about one workspace; undefined when there is no such workspace. */
  readPart(workspace: string): ServicePart | undefined;
  /**
   * Takes in another service's rows about a workspace. They replace keys that an earlier workspace of the name left.
   * @throws Error when there is a workspace of that name, or a key is not its own; nothing was taken in then
   */
  takePart(part: ServicePart): void;
  /** What keeps track of changed pages for a copy elsewhere; only where it was opened so. */
  readonly followed?: FollowedFile;
  /**
   * Takes in what was committed since the last call, for the copy, and copies a long log into the file. The log is
   * never begun again between two calls, so nothing is missed. Synchronous; to be called at least once a second.
   */
  tend?(): void;
  close(): void;
}

/** The service file's rows about one workspace: they go with it when it moves. */
export interface ServicePart {
  readonly workspace: string;
  readonly createdAt: number;
  readonly keys: readonly {
    readonly purpose: string;
    /** Base64. */
    readonly material: string;
    readonly createdAt: number;
  }[];
  /** Its people and their principals; missing in backups older than signing in. */
  readonly people?: readonly PersonPart[];
}

/** The purpose of the key that signs a workspace's audit chain. */
export function auditKeyOf(workspace: string): string {
  return `audit:${workspace}`;
}

/** The purpose of the key that seals the secrets of a workspace's connectors. It goes with the workspace, sealed. */
export function connectorKeyOf(workspace: string): string {
  return `connector:${workspace}`;
}

/** Pages in a followed file's log from which it is copied into the file. */
const longLog = 1000;

/**
 * @param file a path, or `:memory:`
 * @param isFollowed whether changed pages are kept track of; not in memory
 */
export function openServiceFile(file: string, migrations: string, isFollowed = false): ServiceFile {
  const connection = openForWriting(file);
  migrate(connection, migrations);
  const following = isFollowed && file !== ':memory:' ? follow(connection, file) : undefined;
  const keys = new ServiceKeyTable(connection);
  const oauth = new OAuthTable(connection);
  const people = openPeopleTables(connection, oauth);
  const records = new PendingRecordTable(connection);
  const workspaces = new WorkspaceTable(connection);
  return {
    people,
    oauth,
    records,
    listWorkspaces: () => workspaces.list(),
    addWorkspace: connection.transaction((name: string, createdAt: number) => {
      records.removeAll(name, false);
      workspaces.add(name, createdAt);
    }),
    forgetWorkspace: (name) => workspaces.remove(name),
    removeWorkspace: connection.transaction((name: string, createdAt: number) => {
      if (workspaces.createdAt(name) !== createdAt) return;
      workspaces.remove(name);
      for (const { purpose } of keys.endingWith(`:${name}`)) keys.remove(purpose);
      oauth.removeOfWorkspace(name);
      people.identities.leaveForGood(name);
      records.removeAll(name, false);
    }),
    findKey: (purpose) => keys.find(purpose),
    addKey: (purpose, material, createdAt) => keys.add({ purpose, material, createdAt }),
    listKeys: (prefix) => keys.startingWith(prefix),
    removeKey: (purpose) => keys.remove(purpose),
    readPart(workspace) {
      const createdAt = workspaces.createdAt(workspace);
      if (createdAt === undefined) return undefined;
      return {
        workspace,
        createdAt,
        keys: keys
          .endingWith(`:${workspace}`)
          .map((key) => ({ ...key, material: Buffer.from(key.material).toString('base64') })),
        people: people.identities.listPeople(workspace),
      };
    },
    takePart: connection.transaction((part: ServicePart) => {
      workspaces.add(part.workspace, part.createdAt);
      for (const key of part.keys) {
        if (!key.purpose.endsWith(`:${part.workspace}`)) throw new Error(`The key "${key.purpose}" is not its own.`);
        keys.replace({ ...key, material: Buffer.from(key.material, 'base64') });
      }
      people.identities.leaveAll(part.workspace);
      records.removeAll(part.workspace, true);
      for (const person of part.people ?? []) people.identities.takePerson(part.workspace, person);
    }),
    ...following,
    close() {
      following?.followed.end();
      connection.close();
      following?.followed.close();
    },
  };
}

/**
 * Writes go straight through the connection, so no commit is told. Instead the log is begun again only after all of it
 * was read: SQLite does that once the whole log is in the file, and only `tend` copies it there.
 */
function follow(connection: Connection, file: string): { readonly followed: FollowedFile; tend(): void } {
  connection.pragma('wal_autocheckpoint = 0');
  const followed = new FollowedFile(file);
  return {
    followed,
    tend() {
      followed.read();
      // When it is lost, nothing is missed by it, and a damaged log has to be begun again.
      const isDue = followed.isLost || followed.logged >= longLog;
      if (isDue && !connection.inTransaction) connection.pragma('wal_checkpoint(PASSIVE)');
    },
  };
}

/**
 * Reads a key beside a server that may be running.
 * @throws Error when the file cannot be read
 */
export function readKey(file: string, purpose: string): Uint8Array | undefined {
  if (!existsSync(file)) return undefined;
  const connection = openForLooking(file);
  try {
    return new ServiceKeyTable(connection).find(purpose);
  } finally {
    connection.close();
  }
}

/** The facts of a file, for read-only commands. */
export interface InspectedServiceFile {
  /** Faults that SQLite finds in it, and references to missing rows. */
  readonly problems: readonly string[];
  readonly workspaces: readonly { readonly name: string; readonly hasAuditKey: boolean }[];
}

/**
 * Checks the file beside a server that may be running.
 * @throws Error when it does not exist or cannot be read
 */
export function inspectServiceFile(file: string): InspectedServiceFile {
  const connection = openForLooking(file);
  try {
    const problems = [...checkIntegrity(connection), ...checkReferences(connection)];
    const keys = new ServiceKeyTable(connection);
    const workspaces = new WorkspaceTable(connection)
      .list()
      .map(({ name }) => ({ name, hasAuditKey: keys.find(auditKeyOf(name)) !== undefined }));
    return { problems, workspaces };
  } finally {
    connection.close();
  }
}

/**
 * Reads the names of the workspaces beside a server that may be running.
 * @returns none where the file does not exist yet
 * @throws Error when it cannot be read
 */
export function listWorkspaceNames(file: string): string[] {
  if (!existsSync(file)) return [];
  const connection = openForLooking(file);
  try {
    return new WorkspaceTable(connection).list().map(({ name }) => name);
  } finally {
    connection.close();
  }
}
