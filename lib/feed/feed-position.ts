import { createHmac } from 'node:crypto';
import { invalidRequest } from '../domain/refusal.js';
import type { Tables } from '../sidecar/tables.js';

/**
 * A place in the order of all events. Its text has always the same length: a longer one would tell how much happened
 * out of reach.
 */
export interface FeedPosition {
  /** The commits up to this one are sent. */
  readonly moment: number;
  /** And so are the activities up to this one. */
  readonly activity: number;
  /** How far the event after it is sent. Null for not begun. */
  readonly within: PositionWithin | null;
}

/** The place in an event that concerns many documents. */
export interface PositionWithin {
  /** Which part of the event's work comes next. */
  readonly part: number;
  /** Number of the last document that was looked at; 0 before the first. */
  readonly document: number;
  /** By the part: the last moment when it was looked at, the moment of its move, or how many of its items are sent. */
  readonly seen: number;
  /** In memory alone, in the midst of folders: where the work was broken off. */
  readonly behind?: readonly string[];
}

const version = 1;
const epochLength = 8;
/** Bytes of a number: enough for 281 million million. */
const numberLength = 6;
const fields = 5;
const length = 1 + epochLength + fields * numberLength + 1;

/** The secret of the workspace's feed. @throws Error when the file lacks it */
export function readFeedSecret(tables: Tables): string {
  const secret = tables.meta.get('feed_secret');
  if (secret === undefined) throw new Error('The workspace has no secret for its feed.');
  return secret;
}

/** A few bytes that say which file a position is of. */
function epochOf(tables: Tables): Buffer {
  return createHmac('sha256', readFeedSecret(tables)).update('epoch').digest().subarray(0, epochLength);
}

export function encodeFeedPosition(tables: Tables, { moment, activity, within }: FeedPosition): string {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt8(version, 0);
  epochOf(tables).copy(bytes, 1);
  const numbers = [moment, activity, within?.part ?? 0, within?.document ?? 0, within?.seen ?? 0];
  for (const [index, number] of numbers.entries()) {
    bytes.writeUIntBE(number, 1 + epochLength + index * numberLength, numberLength);
  }
  bytes.writeUInt8(within === null ? 0 : 1, length - 1);
  return bytes.toString('base64url');
}

/** @throws Refusal INVALID_REQUEST `bad_cursor` for a position of another file, as before a rebuild */
export function decodeFeedPosition(tables: Tables, text: string): FeedPosition {
  const bytes = Buffer.from(text, 'base64url');
  const isOurs =
    bytes.length === length &&
    bytes.toString('base64url') === text &&
    bytes[0] === version &&
    bytes.subarray(1, 1 + epochLength).equals(epochOf(tables));
  if (!isOurs) throw badPosition();
  const at = (index: number): number => bytes.readUIntBE(1 + epochLength + index * numberLength, numberLength);
  const isWithin = bytes[length - 1] === 1;
  const within = isWithin ? { part: at(2), document: at(3), seen: at(4) } : null;
  const position = { moment: at(0), activity: at(1), within };
  // It was given by this file in a state that a backup does not hold.
  const isOfLater =
    position.moment > Number(tables.meta.get('commits') ?? '0') || position.activity > tables.activities.highest();
  if (isOfLater) throw badPosition();
  return position;
}

/** The position of now: whatever happens from now on comes after it. */
export function readEnd(tables: Tables): FeedPosition {
  return { moment: tables.feed.lastMoment(), activity: tables.activities.last(), within: null };
}

export function badPosition(): Error {
  return invalidRequest('bad_cursor', 'The cursor is of another state of the workspace. Start again without it.', {
    field: 'cursor',
  });
}

/** The position of now: whatever happens from now on comes after it. It is the same for every caller. */
export function endOfFeed({ tables }: { readonly tables: Tables }): string {
  return encodeFeedPosition(tables, readEnd(tables));
}
