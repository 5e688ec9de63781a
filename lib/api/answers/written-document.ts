import type { Document } from '../../domain/document.js';
import { formatEtag } from '../../domain/etag.js';
import { toDocumentRecord } from '../../records/document-record.js';
import { answerJson, type Answer } from './api-answer.js';

/** 200 with the document as it is now, and its ETag. */
export function presentWrittenDocument(document: Document): Answer {
  return answerJson(200, toDocumentRecord(document), { ETag: formatEtag(document.current.id) });
}
