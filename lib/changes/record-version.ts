import type { PreparedContent } from '../domain/change.js';
import type { VersionOperation } from '../domain/history.js';
import type { Location } from '../domain/location.js';
import { momentOf, type WriteContext } from './write-context.js';
import { takeRoom } from './quota.js';

/**
 * Makes the prepared content part of the turn: as a pending object, or by taking over a staged one.
 * @throws Refusal INVALID_REQUEST `storage_quota`
 */
export function addContent(context: WriteContext, content: PreparedContent): void {
  const { transaction } = context;
  takeRoom(context, content.size);
  if (content.deflated === null) transaction.tables.objects.unstage(content.blobOid);
  else {
    transaction.addObject({
      oid: content.blobOid,
      type: 'blob',
      size: content.size,
      deflated: Buffer.from(content.deflated.buffer, content.deflated.byteOffset, content.deflated.byteLength),
    });
  }
}

export interface VersionToRecord {
  /** Number of the document. */
  readonly document: number;
  readonly sequence: number;
  readonly id: string;
  readonly content: Pick<PreparedContent, 'blobOid' | 'sha256' | 'size' | 'kind'>;
  readonly mediaType: string;
  readonly location: Location;
  readonly operation: VersionOperation;
  readonly message: string | null;
}

/** Writes the version's row. */
export function recordVersion(context: WriteContext, version: VersionToRecord): void {
  const { content, ...rest } = version;
  context.transaction.tables.versions.insert({
    ...rest,
    blobOid: content.blobOid,
    sha256: content.sha256,
    size: content.size,
    kind: content.kind,
    author: context.author.id,
    at: context.transaction.now,
    moment: momentOf(context),
  });
}
