/**
 * The index on disk: segments in files named by the SHA-256 of their bytes, never changed once written, and a manifest.
 * The manifest names the commit and the segments of its index. It is replaced in one step, so that a crash at any point
 * leaves the earlier index or the later one.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { RenamedRange } from './renamed-range.js';
import type { LanguageCode } from '../languages/languages.js';
import { SegmentReader, type SegmentState } from './segment-reader.js';
import { Segment, segmentFormat } from './segment.js';

/**
 * Changes with the analysis of documents. An index of another analysis can be read and searched; it answers until a new
 * one is made. Where its segments cannot be read any more, `segmentFormat` has to change.
 */
export const analysisVersion = 6;
const manifestName = 'manifest.json';
const segmentName = /^[0-9a-f]{64}\.segment$/;
const temporaryName = /\.new$/;

export interface StoredSegment extends SegmentState {
  readonly file: string;
}

interface ManifestEntry {
  readonly file: string;
  readonly tombstones: string;
  readonly runs: readonly RenamedRange[];
}

interface Manifest {
  /** Of the segments, and of the analysis. */
  readonly format: string;
  readonly commit: string | null;
  readonly vectors: string | null;
  /** Left out by versions that knew English alone. */
  readonly languages?: readonly LanguageCode[];
  readonly segments: readonly ManifestEntry[];
}

const present = `${segmentFormat}.${analysisVersion}`;

/**
 * Writes the segment's bytes, unless a file has them, and returns the file's name. Their digest is made at once; other
 * work goes on while the disk is waited for.
 */
export async function storeSegment(folder: string, segment: Segment): Promise<string> {
  const bytes = Buffer.from(segment.buffer);
  const file = `${digestOf(bytes)}.segment`;
  if (!fs.existsSync(path.join(folder, file))) await writeDurably(folder, file, bytes);
  return file;
}

/** Names the segments of the commit's index; other files of segments are removed. */
export async function storeManifest(
  folder: string,
  { commit, vectors, languages, analysis }: IndexState,
  segments: readonly StoredSegment[],
): Promise<void> {
  const manifest: Manifest = {
    format: `${segmentFormat}.${analysis}`,
    commit,
    vectors,
    languages,
    segments: segments.map(({ file, tombstones, runs }) => ({
      file,
      tombstones: Buffer.from(tombstones.buffer, tombstones.byteOffset, tombstones.byteLength).toString('base64'),
      runs,
    })),
  };
  const text = JSON.stringify(manifest);
  await writeDurably(folder, manifestName, Buffer.from(`${digestOf(Buffer.from(text))}\n${text}\n`));
  sweepFiles(folder, segments);
}

/** Removes the remains of a crash beside the named segments; durably, since erased words may be in them. */
function sweepFiles(folder: string, segments: readonly { readonly file: string }[]): void {
  const named = new Set(segments.map(({ file }) => file));
  const stray = fs
    .readdirSync(folder)
    .filter((file) => (segmentName.test(file) && !named.has(file)) || temporaryName.test(file));
  for (const file of stray) fs.rmSync(path.join(folder, file));
  if (stray.length > 0) syncFolder(folder);
}

/** Removes the stored index. */
export function dropFiles(folder: string): void {
  fs.rmSync(path.join(folder, manifestName), { force: true });
  for (const file of fs.readdirSync(folder)) {
    if (segmentName.test(file) || temporaryName.test(file)) fs.rmSync(path.join(folder, file));
  }
}

/** The facts of an index as a whole. */
export interface IndexState {
  /** The commit of the index. */
  readonly commit: string | null;
  /** The word vectors of the directions of all its documents; null where some have none. */
  readonly vectors: string | null;
  /** The languages in which all documents were analysed. */
  readonly languages: readonly LanguageCode[];
  /** The version of the analysis of its documents; some may be of a later one. */
  readonly analysis: number;
}

export interface StoredIndex extends IndexState {
  readonly segments: readonly { readonly file: string; readonly reader: SegmentReader }[];
}

interface SealedManifest {
  readonly digest: string;
  readonly manifest: Manifest;
}

/** @throws Error when it is damaged */
function unsealManifest(folder: string): SealedManifest | undefined {
  const file = path.join(folder, manifestName);
  if (!fs.existsSync(file)) return undefined;
  const [digest = '', text = ''] = fs.readFileSync(file, 'utf8').split('\n');
  if (digestOf(Buffer.from(text)) !== digest) throw new Error('The manifest is damaged.');
  return { digest, manifest: JSON.parse(text) as Manifest };
}

/**
 * The files named by the manifest in the folder, for read-only commands; undefined where there is none.
 * @throws Error when it is damaged
 */
export function readManifest(
  folder: string,
): { readonly digest: string; readonly isOurs: boolean; readonly files: readonly string[] } | undefined {
  const sealed = unsealManifest(folder);
  if (sealed === undefined) return undefined;
  const { digest, manifest } = sealed;
  return { digest, isOurs: analysisOf(manifest) !== undefined, files: manifest.segments.map(({ file }) => file) };
}

/** @returns undefined where its segments cannot be read */
function analysisOf({ format }: Manifest): number | undefined {
  const [ofSegments, analysis] = format.split('.').map(Number);
  return ofSegments === segmentFormat && analysis !== undefined ? analysis : undefined;
}

/** Another version of the program stored the index. It is as good as none, and nothing is damaged. */
export class OtherIndexFormat extends Error {
  override readonly name = 'OtherIndexFormat';
}

/**
 * The stored index of the folder, or undefined when there is none.
 * @throws OtherIndexFormat; Error when it can't be trusted: damaged, or incomplete
 */
export function loadIndex(folder: string): StoredIndex | undefined {
  const manifest = unsealManifest(folder)?.manifest;
  if (manifest === undefined) return undefined;
  const analysis = analysisOf(manifest);
  if (analysis === undefined) {
    throw new OtherIndexFormat(`The index has the format ${manifest.format}, not ${present}.`);
  }
  sweepFiles(folder, manifest.segments);
  return {
    commit: manifest.commit,
    vectors: manifest.vectors,
    languages: manifest.languages ?? ['en'],
    analysis,
    segments: manifest.segments.map((entry) => ({ file: entry.file, reader: loadSegment(folder, entry) })),
  };
}

/** A stored index for read-only commands: its commit, and its segments, each read when its turn comes. */
export interface ReadableIndex {
  readonly commit: string | null;
  /** @throws Error where a file is damaged, or gone because the service has stored a newer index */
  segments(): Generator<SegmentReader>;
}

/** @returns undefined where no index of this release is stored @throws Error when the manifest is damaged */
export function readIndex(folder: string): ReadableIndex | undefined {
  const manifest = unsealManifest(folder)?.manifest;
  if (manifest === undefined || analysisOf(manifest) === undefined) return undefined;
  return {
    commit: manifest.commit,
    *segments() {
      for (const entry of manifest.segments) yield loadSegment(folder, entry);
    },
  };
}

function loadSegment(folder: string, { file, tombstones, runs }: ManifestEntry): SegmentReader {
  const descriptor = fs.openSync(path.join(folder, file), 'r');
  try {
    const bytes = Buffer.from(new SharedArrayBuffer(fs.fstatSync(descriptor).size));
    for (let at = 0; at < bytes.length;) {
      const read = fs.readSync(descriptor, bytes, at, bytes.length - at, at);
      if (read === 0) throw new Error(`The file ${file} is too short.`);
      at += read;
    }
    if (`${digestOf(bytes)}.segment` !== file) throw new Error(`The file ${file} is damaged.`);
    const bits = new Uint8Array(Buffer.from(tombstones, 'base64'));
    return new SegmentReader(new Segment(bytes.buffer), {
      tombstones: new Uint32Array(bits.buffer),
      runs,
    });
  } finally {
    fs.closeSync(descriptor);
  }
}

async function writeDurably(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  const temporary = path.join(folder, `${file}.new`);
  const written = await fs.promises.open(temporary, 'w', 0o600);
  try {
    await written.writeFile(bytes);
    await written.sync();
  } finally {
    await written.close();
  }
  await fs.promises.rename(temporary, path.join(folder, file));
  if (process.platform === 'win32') return;
  const opened = await fs.promises.open(folder, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = fs.openSync(folder, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
