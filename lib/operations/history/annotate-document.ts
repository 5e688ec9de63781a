import type { Document, Version } from '../../domain/document.js';
import type { VersionOperation } from '../../domain/history-entry.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { Steps } from '../../scheduling/in-steps.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { VersionContent } from '../../sidecar/tables/version-table.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { asUtf8InSteps } from '../../text/charset.js';
import { hasManyLines, LineOwners, type OwnedLines } from '../../text/line-owners.js';
import type { View } from '../../view/view.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { maxComparedBytes, type NoDiff } from './compare-versions.js';

export interface AnnotateDocumentInput {
  readonly location: Location;
  /** Left out: the current one. */
  readonly versionId?: string | undefined;
}

/** A version that wrote some of the lines. */
export interface LineWriter {
  readonly version: Version;
  readonly operation: VersionOperation;
  /** The version before it: the text before this change. Null for the first. */
  readonly previousId: string | null;
}

/** The reason why the walk back ended before each line had its writer. */
export type EndOfWalk = 'too_many_versions' | 'too_much_work' | 'too_large';

export interface Annotation {
  readonly document: Document;
  readonly version: Version;
  /** All lines in order, by the sequence of the version that wrote them; undefined for the lines of `olderThan`. */
  readonly lines: readonly OwnedLines<number>[];
  /** By sequence. */
  readonly writers: ReadonlyMap<number, LineWriter>;
  /** Lines without a writer are at least as old as this version. Null when each line has its writer. */
  readonly olderThan: { readonly version: Version; readonly why: EndOfWalk } | null;
  /** False when two texts differed so much that a line may be older than shown. */
  readonly isExact: boolean;
  /** Why nobody is named: then there are no lines. Null for a text. */
  readonly why: NoDiff | null;
}

/** Maximum of versions of which the contents are looked up, and of bytes read. */
const maxVersions = 5000;
const maxBytes = 256 * 1024 * 1024;

const isReadable = ({ kind, size }: Pick<Version, 'kind' | 'size'>): boolean =>
  kind === 'text' && size <= maxComparedBytes;

/**
 * For each line of a text, the version that wrote it.
 *
 * A version that has the content of an older one writes no line: a restore, an undelete, a revert. Its lines keep the
 * writers that they had in the older one (decision 0031). Renames and moves are followed, since the versions belong to
 * the document. Reader.
 */
export const annotateDocument: ReadOperation<AnnotateDocumentInput, Annotation> = {
  kind: 'read',
  name: 'document.annotate',
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location }) => ({ target: location }),
  run(context, { location, versionId }) {
    const { view } = context;
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const version = versionId === undefined ? document.current : view.version(document, versionId);
    if (version === undefined) throw notFound();
    const contents = view.tables.versions.contents(document.number, version.sequence, maxVersions + 1);
    return annotate(context, document, version, contents);
  },
  noteResult: ({ document, version }) => ({ version: version.id, documentId: document.id }),
};

async function readUtf8(
  { workspace }: Pick<ReadContext, 'workspace'>,
  version: Pick<Version, 'blobOid' | 'mediaType'>,
): Promise<Buffer> {
  return runCooperatively(asUtf8InSteps(await workspace.objects.readContent(version), version.mediaType));
}

async function annotate(
  context: ReadContext,
  document: Document,
  version: Version,
  contents: readonly VersionContent[],
): Promise<Annotation> {
  const nothing = { document, version, lines: [], writers: new Map<number, LineWriter>(), olderThan: null };
  if (version.kind !== 'text') return { ...nothing, isExact: true, why: 'binary' };
  if (!isReadable(version)) return { ...nothing, isExact: true, why: 'too_large' };
  const text = await readUtf8(context, version);
  if (text.length > maxComparedBytes) return { ...nothing, isExact: true, why: 'too_large' };
  if (hasManyLines(text)) return { ...nothing, isExact: true, why: 'too_large' };
  const owners = new LineOwners<number>(text);
  const end = await walkBack(context, owners, contents);
  const lines = await inTurns(owners.describe());
  const view = context.workspace.view(context.caller);
  // The right to read it may have ended meanwhile.
  if (view.documentById(document.id) === undefined) throw notFound();
  const last = end === null ? undefined : view.tables.versions.bySequence(document.number, end.sequence);
  return {
    ...nothing,
    lines,
    writers: await readWriters(context, document, lines),
    olderThan: end === null || last === undefined ? null : { version: last, why: end.why },
    isExact: owners.isExact,
    why: null,
  };
}

/**
 * Goes back from version to version, until each line has its owner.
 * @param contents the newest first, beginning with the annotated version
 * @returns the version at which it ended early; null when it did not
 */
async function walkBack(
  { workspace }: ReadContext,
  owners: LineOwners<number>,
  contents: readonly VersionContent[],
): Promise<{ readonly sequence: number; readonly why: EndOfWalk } | null> {
  const known = contents.slice(0, maxVersions);
  /** For each content, where in `known` its oldest version stands. */
  const oldest = new Map(known.map(({ sha256 }, index) => [sha256, index]));
  let bytes = 0;
  for (let index = 0; !owners.isDone; index += 1) {
    index = oldest.get(known[index]?.sha256 ?? '') ?? index;
    const [newer, older] = [known[index], known[index + 1]];
    if (newer === undefined) return null;
    const stop = (why: EndOfWalk): { sequence: number; why: EndOfWalk } => ({ sequence: newer.sequence, why });
    if (older === undefined && contents.length > known.length) return stop('too_many_versions');
    if (older === undefined || older.kind !== 'text') {
      // Before the first text there is nothing whose lines could be the same.
      owners.finish(newer.sequence);
      return null;
    }
    if (!isReadable(older)) return stop('too_large');
    bytes += older.size;
    if (bytes > maxBytes) return stop('too_much_work');
    const text = await readUtf8({ workspace }, older);
    // Text of another charset can be longer in UTF-8.
    if (text.length > maxComparedBytes) return stop('too_large');
    bytes += text.length - older.size;
    if (!(await inTurns(owners.goBack(text, newer.sequence)))) return stop('too_much_work');
    await yieldToLoop();
  }
  return null;
}

/** Writers looked up in one turn. */
const writersAtOnce = 200;

async function readWriters(
  { workspace, caller }: ReadContext,
  document: Document,
  lines: readonly OwnedLines<number>[],
): Promise<Map<number, LineWriter>> {
  const writers = new Map<number, LineWriter>();
  const wanted = [...new Set(lines.flatMap(({ owner }) => owner ?? []))];
  for (let start = 0; start < wanted.length; start += writersAtOnce) {
    if (start > 0) await yieldToLoop();
    const view = workspace.view(caller);
    // The right to read it may have ended meanwhile.
    if (view.documentById(document.id) === undefined) throw notFound();
    for (const sequence of wanted.slice(start, start + writersAtOnce)) {
      const writer = readWriter(view, document, sequence);
      if (writer === undefined) throw notFound();
      writers.set(sequence, writer);
    }
  }
  return writers;
}

function readWriter(view: View, { number }: Document, sequence: number): LineWriter | undefined {
  const [written] = view.tables.history.versionsBefore(number, sequence + 1, 1);
  if (written === undefined || written.version.sequence !== sequence) return undefined;
  const previous = view.tables.versions.bySequence(number, sequence - 1);
  return { version: written.version, operation: written.operation, previousId: previous?.id ?? null };
}

/** Runs work in steps, each in its own turn of the event loop. */
async function inTurns<Result>(work: Steps<Result>): Promise<Result> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await yieldToLoop();
  }
}
