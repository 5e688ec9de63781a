import type { Location } from '../domain/location.js';
import type { OriginalAuthor } from '../domain/original-author.js';
import { runAtOnce } from '../scheduling/in-steps.js';
import { AcceptedFiles, decideImport } from './decide-import.js';
import { noteSearch, noteWritten } from './index-changes.js';
import { mediaTypesOf } from './media-types.js';
import type { PreparedContent } from './prepare-content.js';
import { recordEvent } from './record-event.js';
import type { WriteContext } from './write-context.js';

/** One document of a batch. */
export interface ImportedFile {
  readonly location: Location;
  readonly content: PreparedContent;
  readonly mediaType: string;
}

export interface Import {
  readonly files: readonly ImportedFile[];
  readonly message: string | null;
  /** Who wrote them, according to the source. */
  readonly originalAuthor?: OriginalAuthor | undefined;
}

/** The outcome of each file in a batch. */
export interface ImportResult {
  readonly created: readonly Location[];
  /** Already there with the same bytes: an import can be resumed. */
  readonly unchanged: readonly Location[];
  /** Left alone, with the reason in words. An import never overwrites. */
  readonly skipped: readonly { readonly location: Location; readonly reason: string }[];
  /** The commit, or null when there was nothing to do. */
  readonly versionId: string | null;
}

/** Imports many documents by one commit. @throws Refusal INVALID_REQUEST `storage_quota` for the whole batch */
export function applyImport(context: WriteContext, change: Import): ImportResult {
  const files = change.files.map((file) => ({ ...file, sha256: file.content.sha256 }));
  const { accepted, unchanged, skipped } = decideImport(context, new AcceptedFiles(), files);
  if (accepted.length === 0) return { created: [], unchanged, skipped, versionId: null };
  const { versionId, written } = runAtOnce(
    recordEvent(context, {
      event: { type: 'import', mediaTypes: mediaTypesOf(accepted) },
      files: accepted.map((file) => ({ ...file, prepared: file.content })),
      message: change.message,
      originalAuthor: change.originalAuthor,
    }),
  );
  noteSearch(context, versionId, ...runAtOnce(noteWritten(context, written)));
  return { created: accepted.map(({ location }) => location), unchanged, skipped, versionId };
}
