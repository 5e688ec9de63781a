import { readPolicy } from '../access/read-policy.js';
import type { Extractor } from '../extraction/extractor.js';
import type { Timers } from '../scheduling/timers.js';
import type { Tables } from '../sidecar/tables.js';
import { FileTexts } from './file-texts.js';
import type { DocumentToIndex } from './index-event.js';
import { IndexedTexts, toFile } from './indexed-texts.js';
import { describeRow } from './read-documents.js';

export interface TextsOptions {
  /** Where texts that were made of files are kept; null holds them in memory. */
  readonly folder: string | null;
  readonly extractor: Extractor;
  /** Name of the workspace. */
  readonly workspace: string;
  /** The committed state at this moment. */
  readonly reader: () => Tables;
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** Called when the text of a document's present content was made: the index reads it again. */
  readonly onMade: (document: DocumentToIndex) => void;
  readonly onFault: (what: string, cause: unknown) => void;
  readonly timers: Timers;
}

/** The texts of a workspace, by which its documents are found. */
export function openTexts({ reader, onMade, extractor, readBlob, ...options }: TextsOptions): IndexedTexts {
  const currentOf = (number: number): (DocumentToIndex & { readonly author: string }) | undefined => {
    const tables = reader();
    const row = tables.documents.byNumber(number);
    return row === undefined ? undefined : { ...describeRow(tables, row), author: row.current.author.id };
  };
  const files = new FileTexts({
    ...options,
    extractor,
    readBlob,
    policy: () => readPolicy(reader()),
    currentOf: (number) => {
      const current = currentOf(number);
      return current !== undefined && texts.isMade(current) ? toFile(current) : undefined;
    },
    blobOf: (number) => reader().documents.byNumber(number)?.current.blobOid,
    onMade: (number) => {
      const tables = reader();
      const row = tables.documents.byNumber(number);
      if (row !== undefined) onMade(describeRow(tables, row));
    },
  });
  const texts = new IndexedTexts({ readBlob, files, currentOf, onFault: options.onFault });
  return texts;
}
