import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Location } from '../domain/location.js';
import { nodeFileSystem, writeAll } from '../git/file-system.js';
import { isOid, type Oid } from '../git/objects/objects.js';

/** What a derived repository shows of a document, or showed once. */
export interface ShownDocument {
  /** Where its newest commit has the document. Null when a commit deleted it. */
  readonly place: Location | null;
  /** Number of the last version shown. */
  readonly sequence: number;
  /** Other places at which earlier commits have it. */
  readonly formerPlaces: readonly Location[];
}

/** A pack of the repository. A file that is not listed is a remnant of a crash. */
export interface ListedPack {
  /** As in `pack-<name>.pack`. */
  readonly name: string;
  /** Of the pack's file. */
  readonly bytes: number;
}

/** The truth about a derived repository. Its branch follows the head here. */
export interface DerivedState {
  readonly head: Oid | null;
  /** The head that it had when it was last made from nothing. A push that brings back older history is refused. */
  readonly began: Oid | null;
  /** From the first to the last. */
  readonly packs: readonly ListedPack[];
  /** Every document that the repository ever included, by its id. */
  readonly documents: ReadonlyMap<string, ShownDocument>;
}

/** Where the parts of a derived repository lie in its principal's folder. */
export function derivedPaths(folder: string): {
  /** The bare repository that is served. */
  repository: string;
  /** The state's file. Without it there is no repository. */
  state: string;
} {
  return {
    repository: join(folder, 'repository.git'),
    state: join(folder, 'state'),
  };
}

/** Whether a name in the folder is of objects on their way into the repository. They don't outlive a derivation. */
export function isMaking(name: string): boolean {
  return name.startsWith('making-');
}

/** The folder of a repository's packs. */
export function packFolder(repository: string): string {
  return join(repository, 'objects', 'pack');
}

/** Of the file. Another one is another format, and the repository is made again. */
const format = 2;

/** The file's first line. */
interface Header {
  readonly format: number;
  readonly head: Oid | null;
  readonly began: Oid | null;
  readonly packs: readonly ListedPack[];
  /** How many lines follow. */
  readonly documents: number;
}

/** A line for each document. */
type DocumentLine = readonly [id: string, place: string | null, sequence: number, ...formerPlaces: string[]];

/** The file is not as it was written. */
export class DamagedState extends Error {
  override readonly name = 'DamagedState';
}

/** @returns undefined when there is none @throws DamagedState */
export async function readState(folder: string): Promise<DerivedState | undefined> {
  const { state } = derivedPaths(folder);
  let header: Header | undefined;
  const documents = new Map<string, ShownDocument>();
  for await (const lines of readLines(state)) {
    for (const line of lines) {
      if (header === undefined) header = parseHeader(line);
      else {
        const [id, place, sequence, ...formerPlaces] = parseLine(line) as DocumentLine;
        documents.set(id, { place: place as Location | null, sequence, formerPlaces: formerPlaces as Location[] });
      }
    }
  }
  if (header === undefined) return undefined;
  if (documents.size !== header.documents) throw new DamagedState('The state ends early.');
  return { head: header.head, began: header.began, packs: header.packs, documents };
}

function parseHeader(line: string): Header {
  const header = parseLine(line) as Partial<Header> | null;
  if (header?.format !== format || !Array.isArray(header.packs) || typeof header.documents !== 'number') {
    throw new DamagedState('The state has another format.');
  }
  for (const oid of [header.head, header.began]) {
    if (oid !== null && !isOid(oid ?? '')) throw new DamagedState('The state names no head.');
  }
  return header as Header;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new DamagedState('The state cannot be read.', { cause: error });
  }
}

/** The lines of a file, some at a time; none when there is no file. @throws DamagedState when the last line has no end */
async function* readLines(file: string): AsyncGenerator<string[]> {
  let rest = '';
  try {
    for await (const piece of createReadStream(file, { encoding: 'utf8', highWaterMark: readAtOnce })) {
      const lines = (rest + String(piece)).split('\n');
      rest = lines.pop() ?? '';
      yield lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (rest !== '') throw new DamagedState('The state ends early.');
}

const readAtOnce = 256 * 1024;
const linesAtOnce = 1000;

/** Replaces the state, durably and whole or not at all. */
export async function writeState(folder: string, { head, began, packs, documents }: DerivedState): Promise<void> {
  const { state } = derivedPaths(folder);
  const temporary = `${state}.new`;
  await nodeFileSystem.unlink(temporary).catch(() => undefined);
  const file = await nodeFileSystem.openNew(temporary, 0o600);
  try {
    const header: Header = { format, head, began, packs, documents: documents.size };
    let lines = [JSON.stringify(header)];
    for (const [id, { place, sequence, formerPlaces }] of documents) {
      const line: DocumentLine = [id, place, sequence, ...formerPlaces];
      lines.push(JSON.stringify(line));
      if (lines.length < linesAtOnce) continue;
      await writeAll(file, Buffer.from(`${lines.join('\n')}\n`));
      lines = [];
    }
    if (lines.length > 0) await writeAll(file, Buffer.from(`${lines.join('\n')}\n`));
    await file.sync();
  } finally {
    await file.close();
  }
  await nodeFileSystem.rename(temporary, state);
  await nodeFileSystem.syncFolder(folder);
}

/**
 * Whether the folder may hold any of these documents. Also true when a derivation was cut off, or the state cannot be
 * read: then the folder may hold anything. False when there is no folder. It reads the file in pieces. Nothing may be
 * derived in the folder meanwhile.
 */
export async function stateHolds(folder: string, documentIds: ReadonlySet<string>): Promise<boolean> {
  const names = await namesIn(folder);
  const { repository } = derivedPaths(folder);
  if (!names.includes('state')) return names.length > 0;
  if (names.some(isMaking) || names.includes('state.new')) return true;
  try {
    let header: Header | undefined;
    let count = 0;
    for await (const lines of readLines(derivedPaths(folder).state)) {
      for (const line of lines) {
        if (header === undefined) header = parseHeader(line);
        else {
          count += 1;
          // A line begins with the id, which has no character that JSON writes otherwise.
          if (documentIds.has(line.slice(2, line.indexOf('"', 2)))) return true;
        }
      }
    }
    if (header?.documents !== count) return true;
    const listed = new Set(header.packs.map(({ name }) => name));
    return (await namesIn(packFolder(repository))).some((file) => !listed.has(packOf(file)));
  } catch (error) {
    if (error instanceof DamagedState) return true;
    throw error;
  }
}

/** The pack that a file belongs to: `pack-<name>.idx` → name. */
export function packOf(file: string): string {
  return /^pack-([0-9a-f]{40,64})\.[a-z]+$/.exec(file)?.[1] ?? '';
}

/** The names in a folder; none when there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
