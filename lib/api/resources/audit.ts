import type { ExportedLine } from '../../audit/exported-line.js';
import { Readable } from 'node:stream';
import { parseTime } from '../../domain/clock.js';
import { parseFolderLocation } from '../../domain/location.js';
import { invalidRequest } from '../../domain/refusal.js';
import { exportAudit, showAuditKey, type AuditExport } from '../../operations/audit/audit-log.js';
import { listAudit, type ListAuditInput } from '../../operations/audit/list-audit.js';
import { showVerification, startVerification } from '../../operations/audit/verify-audit.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import type { RequestOf } from '../requests/described-request.js';
import { route, type Route } from '../route.js';
import { toAuditEntryRecord, toChainCheckRecord } from '../../records/audit-log-record.js';
import { presentPage, readPage } from './page-query.js';

/** Characters sent together. */
const pieceLength = 64 * 1024;

/** The lines of an export as text, many in one piece. */
async function* joinLines(lines: AsyncIterable<ExportedLine>): AsyncGenerator<string, undefined> {
  let piece = '';
  for await (const line of lines) {
    piece += `${JSON.stringify(line)}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

/**
 * The query of `GET /audit`.
 * @throws Refusal INVALID_REQUEST `bad_field` for a time, `bad_location`, `bad_cursor`
 */
function readQuestion(request: RequestOf<'listAudit'>): ListAuditInput {
  const { location, principal, credential, action, outcome, from, to, request_id } = request.query;
  return {
    location: location === undefined ? undefined : parseFolderLocation(location),
    principal,
    credential,
    action,
    outcome,
    from: readTime('from', from),
    to: readTime('to', to),
    requestId: request_id,
    ...readPage(request),
  };
}

function readTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === undefined) throw invalidRequest('bad_field', `The query parameter ${field} must be a time.`, { field });
  return time;
}

/** Lines of JSON, as `cartulary audit export` prints them. */
function presentExport(lines: AuditExport): Answer {
  return {
    status: 200,
    headers: { 'Content-Disposition': 'attachment; filename="audit.jsonl"' },
    body: {
      form: 'flow',
      mediaType: 'application/x-ndjson',
      open: () => Readable.from(joinLines(lines), { objectMode: true, highWaterMark: 1 }).once('close', lines.close),
      leave: lines.close,
    },
  };
}

/** Questions to the audit log, its check, and the log itself. */
export const auditRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/audit',
    operation: listAudit,
    read: readQuestion,
    present: presentPage(toAuditEntryRecord),
  }),
  route({
    method: 'POST',
    path: '/audit/verifications',
    requires: 'Idempotency-Key',
    operation: startVerification,
    read: () => ({}),
    present: (check) => answerJson(202, toChainCheckRecord(check), { Location: `/audit/verifications/${check.id}` }),
  }),
  route({
    method: 'GET',
    path: '/audit/verifications/{id}',
    operation: showVerification,
    read: ({ pathId }) => ({ checkId: pathId }),
    present: (check) => answerJson(200, toChainCheckRecord(check)),
  }),
  route({
    method: 'GET',
    path: '/audit/export',
    operation: exportAudit,
    read: ({ query }) => ({ withTexts: query.with_texts }),
    present: presentExport,
  }),
  route({
    method: 'GET',
    path: '/audit/key',
    operation: showAuditKey,
    read: () => ({}),
    present: ({ publicKey }) => answerJson(200, { public_key: publicKey }),
  }),
];
