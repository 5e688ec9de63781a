import type { Oid } from '../objects/objects.js';
import type { PacketReader } from './packet-reader.js';
import { encodeBand } from './bands.js';
import { encodePacket, flushPacket } from './packets.js';

/** What refs/heads/main is in git's protocols. */
export const mainRef = 'refs/heads/main';

/** git's name for no object. */
export const noOid: Oid = '0'.repeat(40);

/** No atomic push of several refs and no options: the client refuses those itself. Deletions are refused with a reason. */
const capabilities = [
  'report-status',
  'report-status-v2',
  'side-band-64k',
  'quiet',
  'delete-refs',
  'ofs-delta',
  'object-format=sha1',
  'agent=cartulary',
];

/** What was sent is no push as git sends it. The message is a sentence for the client. */
export class BadPush extends Error {
  override readonly name = 'BadPush';
}

/** Refs that one push may name. */
const maxCommands = 100;
/** Bytes of a ref's name, as file systems have it. */
const maxRefLength = 1024;
/** Bytes of the list of capabilities that a client sends. */
const maxCapabilitiesLength = 4096;

/**
 * What a client reads before it pushes (gitprotocol-pack(5), reference discovery), without the line of the service.
 * @param head what main names; null for an empty repository
 */
export function advertiseReceivePack(head: Oid | null): Buffer {
  const offered = capabilities.join(' ');
  const line = head === null ? `${noOid} capabilities^{}` : `${head} ${mainRef}`;
  return Buffer.concat([encodePacket(`${line}\0${offered}\n`), flushPacket]);
}

/** One ref that a client wants to have moved. */
export interface PushCommand {
  /** Null where it is to be made. */
  readonly before: Oid | null;
  /** Null where it is to be deleted. */
  readonly after: Oid | null;
  /** As it was sent, in UTF-8 as far as it is that. */
  readonly ref: string;
}

/** How a client wants to be answered. */
export interface PushAnswerForm {
  readonly hasReport: boolean;
  readonly hasBands: boolean;
  readonly isQuiet: boolean;
}

export interface PushRequest {
  /** Empty in a request by which a client only tries whether it may push. */
  readonly commands: readonly PushCommand[];
  readonly form: PushAnswerForm;
}

const shallow = 'shallow ';
const maxShallows = 1000;
const shallowLine = /^shallow [0-9a-f]{40}\n?$/;

const oid = /^[0-9a-f]{40}$/;

/**
 * Reads the commands of a push. The pack follows them in the reader.
 * @throws BadPush, MalformedPacket; the stream's errors
 */
export async function readPushRequest(reader: PacketReader): Promise<PushRequest> {
  const commands: PushCommand[] = [];
  let form: PushAnswerForm = { hasReport: false, hasBands: false, isQuiet: false };
  for (let shallows = 0; ;) {
    // The first command has the list of capabilities behind it.
    const packet = await reader.next(maxRefLength + (commands.length === 0 ? maxCapabilitiesLength + 1 : 1));
    if (packet === undefined) throw new BadPush('The push ends within its commands.');
    if (packet.type === 'flush') return { commands, form };
    if (packet.type !== 'line') throw new BadPush('The commands of a push contain an unexpected special packet.');
    const { bytes } = packet;
    // A shallow clone names where its history ends. Nothing follows from it: the commits have to be here.
    if (commands.length === 0 && bytes.toString('latin1', 0, shallow.length) === shallow) {
      if (!shallowLine.test(bytes.toString('latin1'))) throw new BadPush('A shallow line of the push is malformed.');
      shallows += 1;
      if (shallows > maxShallows) throw new BadPush('The clone ends in too many places. Fetch its whole history.');
      continue;
    }
    if (commands.length === maxCommands) throw new BadPush(`A push names at most ${maxCommands} refs.`);
    const end = bytes.indexOf(0);
    if (end >= 0 && commands.length > 0) throw new BadPush('Only the first command of a push has capabilities.');
    if (end >= 0) form = readForm(bytes.subarray(end + 1));
    commands.push(readCommand(end < 0 ? bytes : bytes.subarray(0, end)));
  }
}

function readCommand(line: Buffer): PushCommand {
  const text = line.toString('utf8').replace(/\n$/, '');
  const [before = '', after = '', ...ref] = text.split(' ');
  if (before === 'push-cert') throw new BadPush('Signed pushes are not taken.');
  const name = ref.join(' ');
  if (!oid.test(before) || !oid.test(after) || name === '' || line.length > maxRefLength) {
    throw new BadPush('A command of the push is malformed.');
  }
  return { before: before === noOid ? null : before, after: after === noOid ? null : after, ref: name };
}

function readForm(bytes: Buffer): PushAnswerForm {
  if (bytes.length > maxCapabilitiesLength) throw new BadPush('The push names too many capabilities.');
  const named = bytes.toString('latin1').trim().split(' ');
  const format = named.find((each) => each.startsWith('object-format='));
  if (format !== undefined && format !== 'object-format=sha1') {
    throw new BadPush('Only SHA-1 object ids are supported.');
  }
  for (const wanted of ['atomic', 'push-options']) {
    if (named.includes(wanted)) throw new BadPush(`The capability ${wanted} was not offered.`);
  }
  // The second version only adds options to the first one's lines, and there are none.
  const hasReport = named.includes('report-status-v2') || named.includes('report-status');
  return { hasReport, hasBands: named.includes('side-band-64k'), isQuiet: named.includes('quiet') };
}

/** What became of one command. */
export interface CommandOutcome {
  readonly ref: string;
  /** Why it was refused, in a line; null where it was done. */
  readonly refused: string | null;
}

/** One line, of visible characters: more would be read as other lines of the report. */
function asLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Surrogate}\u2028\u2029]+/gu, ' ').trim();
}

/**
 * The report that ends the answer to a push.
 * @param unpacked null, or why the pack was not taken in
 */
export function reportStatus(
  { hasReport, hasBands }: PushAnswerForm,
  unpacked: string | null,
  outcomes: readonly CommandOutcome[],
): Buffer {
  if (!hasReport) return hasBands ? flushPacket : Buffer.alloc(0);
  const lines = [encodePacket(`unpack ${unpacked === null ? 'ok' : asLine(unpacked)}\n`)];
  for (const { ref, refused } of outcomes) {
    lines.push(encodePacket(refused === null ? `ok ${ref}\n` : `ng ${ref} ${asLine(refused)}\n`));
  }
  lines.push(flushPacket);
  const whole = Buffer.concat(lines);
  return hasBands ? Buffer.concat([encodeBand(1, whole), flushPacket]) : whole;
}
