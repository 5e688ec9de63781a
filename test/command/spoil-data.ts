import assert from 'node:assert/strict';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, makeFolder, runProgram } from '../support/processes/run-program.js';
import { Sqlite } from '../support/store/sqlite.js';

interface Told {
  readonly part: string;
  readonly message: string;
  readonly location?: string;
  readonly remedy: string;
}

export interface Verified {
  readonly sound: boolean;
  readonly service: { readonly sound: boolean; readonly problems: readonly Told[] };
  readonly workspaces: readonly {
    readonly workspace: string;
    readonly documents: number;
    readonly versions: number;
    readonly audit_records: number;
    readonly problems: readonly Told[];
  }[];
}

export const documents = 40;

/** A data folder with a workspace of small documents and a large one, which no process has open. */
export async function makeData(): Promise<string> {
  const folder = await makeFolder();
  const [data, source] = [join(folder, 'data'), join(folder, 'source')];
  await mkdir(join(source, 'policies'), { recursive: true });
  for (let index = 1; index < documents; index += 1) {
    await writeFile(join(source, index % 2 === 0 ? 'policies' : '.', `${index}.md`), `# Document ${index}\n`.repeat(9));
  }
  await writeFile(join(source, 'large.bin'), Buffer.alloc(1_500_000, 'large'));
  await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  await ask('import', source, '--into', '/', '--data', data);
  return data;
}

export async function verify(data: string, ...more: string[]): Promise<Verified & { readonly code: number | null }> {
  const { code, stdout, stderr } = await runProgram(['verify', '--data', data, '--json', ...more]);
  assert.ok(stdout !== '', stderr);
  return { code, ...(JSON.parse(stdout) as Verified) };
}

export const sidecarOf = (data: string): string => join(data, 'acme', 'sidecar.sqlite');

export function changeRows(data: string, sql: string): void {
  const connection = new Sqlite(sidecarOf(data));
  connection.exec(sql);
  connection.close();
}

/** The result of a query of one value. */
export function oneValue(data: string, sql: string): string {
  const connection = new Sqlite(sidecarOf(data), { readonly: true });
  try {
    return String(connection.prepare(sql).pluck().get());
  } finally {
    connection.close();
  }
}

export async function flipByte(file: string, at: (size: number) => number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  const position = at((await handle.stat()).size);
  await handle.read(byte, 0, 1, position);
  byte.writeUInt8(byte.readUInt8() ^ 0xff);
  await handle.write(byte, 0, 1, position);
  await handle.close();
}
