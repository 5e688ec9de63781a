import type { Document, Version } from '../../domain/document.js';
import type { Location } from '../../domain/location.js';
import { notFound } from '../../domain/refusal.js';
import type { TextDiff } from '../../text/text-diff.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import { decodeText } from '../../text/charset.js';
import { diffTextsInPieces, maxCompared } from '../../text/diff-texts.js';
import type { ReadOperation } from '../operation.js';

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
}

/** Maximum bytes of a compared text. */
export const maxComparedBytes = 1024 * 1024;

function obstacleTo(versions: readonly Version[]): NoDiff | null {
  if (versions.some(({ kind }) => kind !== 'text')) return 'binary';
  return versions.some(({ size }) => size > maxComparedBytes) ? 'too_large' : null;
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
  run({ view, workspace }, { location, fromVersionId, toVersionId }) {
    const document = view.document(location);
    if (document === undefined) throw notFound();
    const to = toVersionId === undefined ? document.current : view.version(document, toVersionId);
    if (to === undefined) throw notFound();
    const from = fromVersionId === undefined ? view.versionBefore(document, to) : view.version(document, fromVersionId);
    if (from === undefined && fromVersionId !== undefined) throw notFound();
    const versions = from === undefined ? [to] : [from, to];
    const why = obstacleTo(versions);
    const isSame = from?.sha256 === to.sha256;
    const compared = { document, from: from ?? null, to, isSame, diff: null, why };
    if (why !== null) return compared;
    const read = versions.map(async (version) =>
      decodeText(await workspace.objects.readContent(version), version.mediaType),
    );
    return Promise.all(read).then(async (texts) => {
      const [first = '', second] = texts;
      if (texts.some(hasManyLines)) return { ...compared, why: 'too_large' };
      const [older, newer] = second === undefined ? ['', first] : [first, second];
      return { ...compared, diff: await diffTextsInPieces(older, newer, yieldToLoop) };
    });
  },
  noteResult: ({ document, to }) => ({ version: to.id, documentId: document.id }),
};
