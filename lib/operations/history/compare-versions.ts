import type { Document, Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { TextDiff } from '../../text/text-diff.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { decodeText } from '../../text/charset.js';
import { diffTextsInPieces, maxCompared } from '../../text/diff-texts.js';
import { extractWithin } from '../documents/extract-text.js';
import type { ReadContext, ReadOperation } from '../operation.js';

export interface CompareVersionsInput {
  readonly location: Location;
  /** Usually the older one. Left out: the one before the other. */
  readonly fromVersionId?: string | undefined;
  /** Left out: the current one. */
  readonly toVersionId?: string | undefined;
}

/** The reason why two versions are not compared line by line. */
export type NoDiff = 'binary' | 'too_large';

export interface ComparedVersions {
  readonly document: Document;
  /** Null when the other one is the first: it is compared with nothing. */
  readonly from: Version | null;
  readonly to: Version;
  readonly isSame: boolean;
  /** Null for binary content, and for text too large to read. */
  readonly diff: TextDiff | null;
  readonly why: NoDiff | null;
  /** Whether a text of the two was made of a file. */
  readonly isExtracted: boolean;
}

/** Maximum bytes of a compared text. */
export const maxComparedBytes = 1024 * 1024;

/** @param document for the kinds of the files: whether text is made of them */
function obstacleTo(versions: readonly Version[], { workspace }: ReadContext, document: Document): NoDiff | null {
  const { files } = workspace.texts;
  const isText = ({ kind, mediaType }: Version): boolean =>
    kind === 'text' || files.makesText(mediaType, document.name);
  if (!versions.every(isText)) return 'binary';
  return versions.some(({ kind, size }) => kind === 'text' && size > maxComparedBytes) ? 'too_large' : null;
}

/** The text of a version, as it is or made of its file. Undefined where none can be made. */
async function readComparable(context: ReadContext, document: Document, version: Version): Promise<string | undefined> {
  if (version.kind === 'text') {
    return decodeText(await context.workspace.objects.readContent(version), version.mediaType);
  }
  const found = await extractWithin(context, { document, version });
  return 'text' in found ? found.text : undefined;
}

function hasManyLines(text: string): boolean {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0 && lines <= maxCompared; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines > maxCompared;
}

/** The changes between two versions of a document, named in any order. Reader. */
export const compareVersions: ReadOperation<CompareVersionsInput, ComparedVersions> = {
  kind: 'read',
  name: 'document.diff',
  isHeavy: true,
  needs: ({ location }) => [{ role: 'reader', location }],
  note: ({ location, fromVersionId }) => ({ target: location, detail: { from: fromVersionId ?? null } }),
  run(context, { location, fromVersionId, toVersionId }) {
    const { view } = context;
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const to = toVersionId === undefined ? document.current : view.version(document, toVersionId);
    if (to === undefined) throw notFound();
    const from = fromVersionId === undefined ? view.versionBefore(document, to) : view.version(document, fromVersionId);
    if (from === undefined && fromVersionId !== undefined) throw notFound();
    const versions = from === undefined ? [to] : [from, to];
    const isSame = from?.sha256 === to.sha256;
    const isExtracted = versions.some(({ kind }) => kind !== 'text');
    // Of the same file, no text has to be made to see that.
    const why = isSame && isExtracted ? 'binary' : obstacleTo(versions, context, document);
    const compared = { document, from: from ?? null, to, isSame, diff: null, why, isExtracted: false };
    if (why !== null) return compared;
    return Promise.all(versions.map((version) => readComparable(context, document, version))).then(async (read) => {
      const texts = read.filter((text) => text !== undefined);
      if (texts.length < read.length) return { ...compared, why: 'binary' };
      const [first = '', second] = texts;
      // A text that was made can be longer than its file.
      if (texts.some((text) => isExtracted && Buffer.byteLength(text) > maxComparedBytes))
        return { ...compared, why: 'too_large' };
      if (texts.some(hasManyLines)) return { ...compared, why: 'too_large' };
      const [older, newer] = second === undefined ? ['', first] : [first, second];
      return { ...compared, isExtracted, diff: await diffTextsInPieces(older, newer, yieldToLoop) };
    });
  },
  noteResult: ({ document, to }) => ({ version: to.id, documentId: document.id }),
};
