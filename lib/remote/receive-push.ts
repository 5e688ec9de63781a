import { readPolicy } from '../access/read-policy.js';
import { maxPushed } from '../changes/push.js';
import { invalidRequest } from '../domain/refusal.js';
import { PacketReader } from '../git/serving/packet-reader.js';
import { MalformedPacket } from '../git/serving/packets.js';
import type { PushLimits } from '../git/serving/push-limits.js';
import {
  advertiseReceivePack,
  BadPush,
  mainRef,
  readPushRequest,
  type CommandOutcome,
  type PushCommand,
  type PushRequest,
} from '../git/serving/receive-pack.js';
import { advertisementHead } from '../git/serving/upload-pack.js';
import { refuseUnread } from '../operations/perform.js';
import { findHead } from '../operations/repositories/advertise-refs.js';
import { requireReached } from '../operations/repositories/prepare-repository.js';
import { pushCommits } from '../operations/repositories/push-commits.js';
import type { Workspace } from '../workspace/workspace.js';
import { PushAnswer } from './push-answer.js';
import { MainPush } from './push-main.js';
import { openBody } from './unpack-body.js';
import type { RemoteAnswer, RemoteRequest, RemoteService } from './remote-request.js';

const name = 'git-receive-pack';
const contentType = `application/x-${name}-result`;

/** Pushes hold this many times the largest document at the most. */
const documentsOfBytes = 10;
/** Milliseconds that git may work on a push after it has come. */
const timeToUnpack = 5 * 60_000;
/** Bytes beyond the largest push that are read: its commands, and the rest of a push that git has refused. */
const beyond = 64 * 1024 * 1024;

/** Takes pushes. The protocol is read here, and git only unpacks (gitprotocol-pack(5)). */
export const receivePack: RemoteService = { advertise, serve };

async function advertise({ workspace, caller, isHere, signal }: RemoteRequest): Promise<RemoteAnswer> {
  const main = await findHead({ workspace, caller, isHere, version: 0, isPush: true, signal });
  return {
    contentType: `application/x-${name}-advertisement`,
    head: advertisementHead(name, 0),
    content: advertiseReceivePack(main),
  };
}

async function serve(asked: RemoteRequest): Promise<RemoteAnswer> {
  // Whoever reaches nothing here has no body read.
  await requireSomethingHere(asked);
  const limits = limitsOf(asked.workspace);
  const reader = new PacketReader(takeAtMost(openBody(asked), limits.bytes + beyond));
  const request = await readOrRecord(asked, reader);
  // git tries with an empty push whether it may push at all, before it sends a long one.
  if (request.commands.length === 0) return { contentType, content: Buffer.alloc(0) };
  const answer = new PushAnswer(request.form);
  const { main, outcomes } = sortCommands(request.commands);
  try {
    if (main === undefined) await refuseAll(asked, reader, answer, outcomes);
    else await new MainPush(asked, main, limits, answer).receive(reader, outcomes);
  } catch (error) {
    answer.content.destroy();
    throw error;
  }
  return { contentType, content: answer.content };
}

/** @throws Refusal NOT_FOUND, recorded: the same as of any other push */
async function requireSomethingHere({ workspace, caller, isHere }: RemoteRequest): Promise<void> {
  try {
    requireReached(workspace.view(caller), isHere);
  } catch (error) {
    throw await refuseUnread(workspace, caller, pushCommits.name, {}, error);
  }
}

function limitsOf({ journal }: Workspace): PushLimits {
  const file = readPolicy(journal.reader).largestBlob;
  return { file, bytes: documentsOfBytes * file, commits: maxPushed, changes: maxPushed, time: timeToUnpack };
}

/** @throws Refusal INVALID_REQUEST, recorded */
async function readOrRecord({ workspace, caller }: RemoteRequest, reader: PacketReader): Promise<PushRequest> {
  try {
    return await readPushRequest(reader);
  } catch (error) {
    const isKnown = error instanceof BadPush || error instanceof MalformedPacket;
    const refusal = isKnown ? invalidRequest('bad_field', error.message) : error;
    throw await refuseUnread(workspace, caller, pushCommits.name, {}, refusal);
  }
}

/** The command for main, and the outcomes of all others: there is no other ref. */
function sortCommands(commands: readonly PushCommand[]): {
  readonly main: PushCommand | undefined;
  readonly outcomes: readonly CommandOutcome[];
} {
  const main = commands.find(({ ref, after }) => ref === mainRef && after !== null);
  const others = commands.filter((command) => command !== main);
  return { main, outcomes: others.map((command) => ({ ref: command.ref, refused: explainRef(command) })) };
}

function explainRef({ ref, after }: PushCommand): string {
  if (ref === mainRef) return after === null ? 'main cannot be deleted' : 'main is named twice';
  if (after === null) return 'there is nothing but main';
  if (ref.startsWith('refs/tags/')) return 'tags are not kept, only main';
  return 'only main can be pushed to, for example by: git push origin HEAD:main';
}

/** A client sends all of a push before it reads the answer. */
async function refuseAll(
  { workspace, caller }: RemoteRequest,
  reader: PacketReader,
  answer: PushAnswer,
  outcomes: readonly CommandOutcome[],
): Promise<void> {
  for await (const _ of reader.following()) void _;
  const refusal = invalidRequest('bad_field', 'Push only the branch main.');
  const recorded = await refuseUnread(workspace, caller, pushCommits.name, {}, refusal);
  if (recorded !== refusal) throw recorded;
  answer.end(null, outcomes);
}

/** @throws Refusal INVALID_REQUEST `body_too_large` */
async function* takeAtMost(pieces: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let taken = 0;
  for await (const piece of pieces) {
    taken += piece.length;
    if (taken > most) throw invalidRequest('body_too_large', `A push has at most ${most} bytes.`, { limit: most });
    yield piece;
  }
}
