import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether the machine has the program. */
export function hasProgram(name: string, ...parameters: readonly string[]): boolean {
  return spawnSync(name, parameters, { stdio: 'ignore' }).error === undefined;
}

function withFile<Result>(bytes: Buffer, use: (file: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'cartulary-zip-'));
  try {
    const file = join(folder, 'export.zip');
    writeFileSync(file, bytes);
    return use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, parameters, { encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Lets Info-ZIP check every entry. @throws Error with its findings */
export function testWithUnzip(bytes: Buffer): string {
  return withFile(bytes, (file) => run('unzip', ['-tqq', file]));
}

const listing = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    names = archive.namelist()
    texts = {} if len(names) > 1000 else {name: archive.read(name).decode('latin1') for name in names}
    print(json.dumps({'names': names, 'texts': texts, 'utf8': all(
        info.flag_bits & 0x800 for info in archive.infolist() if not info.filename.isascii())}))
`;

export interface ZipListing {
  /** In the order of the archive. */
  readonly names: readonly string[];
  /** Content by name, a character for each byte; empty for archives of more than a thousand. */
  readonly texts: Readonly<Record<string, string>>;
  /** Whether every name outside ASCII is marked as UTF-8. */
  readonly utf8: boolean;
}

/** The archive in the reading of Python's zipfile, which checks it. @throws Error when it is broken */
export function listWithPython(bytes: Buffer): ZipListing {
  return withFile(bytes, (file) => JSON.parse(run('python3', ['-c', listing, file])) as ZipListing);
}
