import { chmodSync, existsSync, closeSync, openSync } from 'node:fs';
import { openForReading, openForWriting } from './database.js';
import { migrate } from './migrate.js';

/** The service's own file: the list of workspaces, and keys that belong to no workspace alone. Mode 0600. */
export interface ServiceFile {
  listWorkspaces(): { readonly name: string; readonly createdAt: number }[];
  addWorkspace(name: string, createdAt: number): void;
  findKey(purpose: string): Uint8Array | undefined;
  /** Keeps the key that is there already; @returns the one that is in force */
  addKey(purpose: string, material: Uint8Array, createdAt: number): Uint8Array;
  close(): void;
}

/** The purpose of the key that signs a workspace's audit chain. */
export function auditKeyOf(workspace: string): string {
  return `audit:${workspace}`;
}

/** @param file a path, or `:memory:` */
export function openServiceFile(file: string, migrations: string): ServiceFile {
  if (file !== ':memory:') {
    // Created closed to others from the first moment: it will hold keys.
    if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  }
  const connection = openForWriting(file);
  migrate(connection, migrations);
  const list = connection.prepare<[], { name: string; created_at: number }>('SELECT * FROM workspace ORDER BY name');
  const add = connection.prepare('INSERT INTO workspace (name, created_at) VALUES (?, ?)');
  const find = connection.prepare<[string], { material: Buffer }>('SELECT material FROM service_key WHERE purpose = ?');
  const addKey = connection.prepare(
    'INSERT INTO service_key (purpose, material, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  return {
    listWorkspaces: () => list.all().map((row) => ({ name: row.name, createdAt: row.created_at })),
    addWorkspace: (name, createdAt) => void add.run(name, createdAt),
    findKey: (purpose) => find.get(purpose)?.material,
    addKey(purpose, material, createdAt) {
      addKey.run(purpose, material, createdAt);
      return find.get(purpose)?.material ?? material;
    },
    close: () => connection.close(),
  };
}

/**
 * A key, looked up beside a server that may be running.
 * @throws Error when the file cannot be read
 */
export function readKey(file: string, purpose: string): Uint8Array | undefined {
  if (!existsSync(file)) return undefined;
  const connection = openForReading(file);
  try {
    const find = connection.prepare<[string], { material: Buffer }>(
      'SELECT material FROM service_key WHERE purpose = ?',
    );
    return find.get(purpose)?.material;
  } finally {
    connection.close();
  }
}

/**
 * The names of the workspaces, looked up beside a server that may be running.
 * @returns none where the file is not there yet
 * @throws Error when it cannot be read
 */
export function listWorkspaceNames(file: string): string[] {
  if (!existsSync(file)) return [];
  const connection = openForReading(file);
  try {
    const list = connection.prepare<[], { name: string }>('SELECT name FROM workspace ORDER BY name');
    return list.all().map((row) => row.name);
  } finally {
    connection.close();
  }
}
