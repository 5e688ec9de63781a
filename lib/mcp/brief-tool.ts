import type { Brief, BriefChange, BriefSurroundings } from '../domain/brief.js';
import { formatTime } from '../domain/clock.js';
import type { AddressedComment } from '../domain/comment.js';
import { parseFolderLocation } from '../domain/location.js';
import { invalidRequest, Refusal } from '../domain/refusal.js';
import type { ReadBriefInput } from '../operations/history/find-brief-bounds.js';
import { readBrief } from '../operations/history/read-brief.js';
import { toCommentRecord } from '../records/comment-record.js';
import { firstWords } from '../text/first-words.js';
import { presentSubject } from './comment-tool.js';
import { presentMessage } from './message-tool.js';
import { presentClaim, presentWho } from './present-document.js';
import { presentNext, readPage, toolEntry, type PageArguments, type ToolEntry, type ToolCall } from './tool.js';

interface BriefArguments extends PageArguments {
  readonly since?: string;
  readonly location?: string;
  readonly keep_bookmark?: boolean;
}

const usualList = 20;
/** Characters of the note of a change. */
const shownOfNote = 120;
/** Milliseconds for which a brief's position is valid: agents come back after a holiday. */
const positionKept = 90 * 24 * 60 * 60 * 1000;
/** A day, or a time; without an offset it is UTC, independent of the service's time zone. */
const dateTime = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A brief's position belongs to its reader, independent of the brief's location. */
const ownerOf = ({ workspace, owner }: ToolCall<BriefArguments>) => ({
  credential: `${workspace.name}/${owner}`,
  route: 'mcp brief',
  query: {},
});

/** @throws Refusal INVALID_REQUEST `bad_cursor` */
function readSince(call: ToolCall<BriefArguments>): string | number | undefined {
  const { since } = call.args;
  if (since === undefined) return undefined;
  const written = dateTime.exec(since);
  const isLocal = written !== null && since.length > 10 && written[1] === undefined;
  const time = written === null ? Number.NaN : Date.parse(isLocal ? `${since}Z` : since);
  if (!Number.isNaN(time)) return time;
  try {
    return call.cursors.open(since, ownerOf(call));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'INVALID_REQUEST') throw error;
    const message = 'since is neither a brief_cursor of yours nor a time such as 2026-11-21T14:00:00Z.';
    throw invalidRequest('bad_cursor', message, { field: 'since' });
  }
}

function readInput(call: ToolCall<BriefArguments>): ReadBriefInput {
  const { location = '', keep_bookmark = false } = call.args;
  return {
    since: readSince(call),
    location: parseFolderLocation(location),
    // The bookmark is the reader's own, but it is written.
    keepsMark: keep_bookmark || !call.mayWrite,
    ...readPage(call, usualList),
  };
}

/** A line for a change: what is usual in it is left out. */
function presentChange(change: BriefChange): object {
  const { of, action, location, versionId, versions, documents, by, at, note, from } = change;
  return {
    location,
    action,
    ...(of === 'folder' ? { of } : {}),
    ...(documents === undefined ? {} : { documents }),
    ...(versionId === null ? {} : { commit: versionId }),
    ...(versions > 1 ? { versions } : {}),
    by: by.map(({ displayName }) => displayName),
    at: formatTime(at),
    ...(note === null ? {} : { note: firstWords(note, shownOfNote) }),
    ...(from === null ? {} : { from_location: from }),
  };
}

function presentComment(addressed: AddressedComment): object {
  const { comment, location, why, addressedAt } = addressed;
  const { id, thread_id, text } = toCommentRecord(comment);
  return {
    comment_id: id,
    thread_id,
    location,
    ...presentSubject(addressed),
    why,
    from: presentWho(comment.author),
    text,
    at: formatTime(addressedAt),
  };
}

function presentSurroundings(
  { reach, ownClaims, claimsOfOthers, messages, hasMoreMessages }: BriefSurroundings,
  principalId: string,
): object {
  return {
    reach: reach.map(({ location, role }) => ({ location, role })),
    claims: [
      ...ownClaims.map((claim) => ({
        ...presentClaim(claim, claim.location, principalId),
        standing: claim.standing,
      })),
      ...claimsOfOthers.map((claim) => presentClaim(claim, claim.location, principalId)),
    ],
    messages: messages.map((message) => presentMessage(message)),
    more_messages: hasMoreMessages,
  };
}

function presentBrief(brief: Brief, call: ToolCall<BriefArguments>): object {
  const { you, since, until, isRepeat, changes, comments, hasMoreComments, surroundings, notice, position, next } =
    brief;
  return {
    you: presentWho(you),
    since: formatTime(since),
    until: formatTime(until),
    ...(isRepeat ? { repeats_last: true } : {}),
    changes: changes.map(presentChange),
    comments: comments.map(presentComment),
    more_comments: hasMoreComments,
    ...(surroundings === null ? {} : presentSurroundings(surroundings, call.caller.principalId)),
    notice,
    brief_cursor: call.cursors.seal(position, ownerOf(call), positionKept),
    ...presentNext(next, call),
  };
}

export const briefEntry: ToolEntry = toolEntry({
  tool: 'brief_me',
  scope: 'org:read',
  operation: readBrief,
  read: readInput,
  present: presentBrief,
});
