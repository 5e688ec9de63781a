import {
  readFoundText,
  type FoundTextRead,
  type ReadFoundTextInput,
} from '../../operations/documents/read-found-text.js';
import { retryText } from '../../operations/documents/retry-text.js';
import { toTextRecord } from '../../records/document-record.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import type { RequestOf } from '../requests/described-request.js';
import { route, type Route } from '../route.js';
import { sandbox } from './document-content.js';

/** Whether a list of tags names this one. A proxy may have weakened it. */
function names(header: string, tag: string): boolean {
  return header.split(',').some((each) => {
    const bare = each.trim().replace(/^W\//, '');
    return bare === '*' || bare === `"${tag}"`;
  });
}

function readReading(request: RequestOf<'readText'>): ReadFoundTextInput {
  const { version, section } = request.query;
  const known = request.header('if-none-match');
  return {
    location: request.location,
    versionId: version,
    section,
    isKnown: known === undefined ? undefined : (tag) => names(known, tag),
  };
}

function presentText({ text, tag, isCut }: FoundTextRead): Answer {
  const headers = { ETag: `"${tag}"`, Vary: 'Accept-Encoding' };
  if (text === undefined) return { status: 304, headers, body: { form: 'none' } };
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': 'text/markdown; charset=utf-8',
      'Content-Security-Policy': sandbox,
      'X-Text-Cut': String(isCut),
    },
    body: { form: 'bytes', bytes: Buffer.from(text) },
    mayCompress: true,
  };
}

/** The text of documents of every kind. */
export const textRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/texts/{location}',
    operation: readFoundText,
    read: readReading,
    present: presentText,
  }),
  route({
    method: 'POST',
    path: '/texts/{location}',
    requires: 'Idempotency-Key',
    operation: retryText,
    read: ({ location }) => ({ location }),
    present: ({ location, text }) => answerJson(200, { location, text: toTextRecord(text) }),
  }),
];
