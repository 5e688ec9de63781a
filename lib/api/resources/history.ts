import { parseLocation } from '../../domain/location.js';
import { parseMessage } from '../../operations/documents/content.js';
import { restoreVersion, type RestoreVersionInput } from '../../operations/documents/restore-version.js';
import {
  compareVersions,
  type ComparedVersions,
  type CompareVersionsInput,
} from '../../operations/history/compare-versions.js';
import { listHistory } from '../../operations/history/list-history.js';
import type { TextDiff } from '../../text/text-diff.js';
import { answerJson, type Answer } from '../answers/api-answer.js';
import { jsonOf } from '../requests/checked-request.js';
import type { RequestOf } from '../requests/described-request.js';
import { jsonPost, route, type Route } from '../route.js';
import { toVersionRecord } from '../../records/document-record.js';
import { toHistoryRecord } from '../../records/history-record.js';
import { presentWrittenDocument } from '../answers/written-document.js';
import { presentPage, readPage } from './page-query.js';
import { readLocation } from './read-location.js';
import { parsePrecondition } from '../requests/parse-precondition.js';

/**
 * The document and the two optional versions from the query.
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
function readComparison(request: RequestOf<'diffVersions'>): CompareVersionsInput {
  const { from, to } = request.query;
  return { location: readLocation(request), fromVersionId: from, toVersionId: to };
}

/** The body RestoreRequest. */
function readRestoration(request: RequestOf<'restoreVersion'>): RestoreVersionInput {
  const { location, version, message } = jsonOf(request);
  const ifMatch = request.header('if-match');
  return {
    location: parseLocation(location),
    versionId: version ?? '',
    precondition: ifMatch === undefined ? undefined : parsePrecondition(ifMatch, 'If-Match'),
    message: parseMessage(message),
  };
}

function presentTextDiff({ added, removed, isShortest, hunks }: TextDiff): object {
  return {
    added,
    removed,
    is_shortest: isShortest,
    hunks: hunks.map(({ fromLine, fromLines, toLine, toLines, lines }) => ({
      from_line: fromLine,
      from_lines: fromLines,
      to_line: toLine,
      to_lines: toLines,
      lines: lines.map(({ kind, from, to, text, parts, isEnded }) => ({
        kind,
        from,
        to,
        text,
        parts: parts?.map((part) => ({ text: part.text, is_changed: part.isChanged })) ?? null,
        is_ended: isEnded,
      })),
    })),
  };
}

/** The description's `Diff`. */
function presentDiff({ document, from, to, isSame, diff, why, isExtracted }: ComparedVersions): Answer {
  return answerJson(200, {
    location: document.location,
    from: from === null ? null : toVersionRecord(from),
    to: toVersionRecord(to),
    is_same: isSame,
    not_compared_because: why,
    diff: diff === null ? null : presentTextDiff(diff),
    ...(isExtracted && { extracted: true }),
  });
}

/** A document's history: its versions, the differences between two, and an earlier one restored. */
export const historyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/history',
    operation: listHistory,
    read: (request) => ({ location: readLocation(request), ...readPage(request) }),
    present: presentPage(toHistoryRecord),
  }),
  route({ method: 'GET', path: '/diffs', operation: compareVersions, read: readComparison, present: presentDiff }),
  route({
    ...jsonPost,
    path: '/restores',
    operation: restoreVersion,
    read: readRestoration,
    present: presentWrittenDocument,
  }),
];
