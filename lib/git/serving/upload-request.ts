import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import type { Oid } from '../objects/objects.js';
import { MalformedPacket, packetHead, packetLength } from './packets.js';
import { mainRef } from './receive-pack.js';
import type { ProtocolVersion } from './start-service.js';

/** A client's request to git-upload-pack. */
export type UploadRequest = FetchRequest | RefListing;

/** What a client that clones or fetches asks for. */
export interface FetchRequest {
  readonly command: 'fetch';
  /** The request, written anew from what was read. git gets this, so it reads nothing else than was read here. */
  readonly bytes: Buffer;
  /**
   * The objects that it wants, where it asks for everything behind them that it lacks. Null where it asks for parts, by
   * depth or by a filter, or again for what it has; and for more objects than are kept.
   */
  readonly wants: readonly Oid[] | null;
  /** The commits that it says it has, the first ones of very many. */
  readonly haves: readonly Oid[];
  /** Whether the client has no more to say. */
  readonly isLast: boolean;
}

/** What a client of version 2 wants to know of the refs. There is no other than main. */
export interface RefListing {
  readonly command: 'ls-refs';
  readonly withHead: boolean;
  readonly withMain: boolean;
  readonly hasTargets: boolean;
  readonly hasUnborn: boolean;
}

/** The bytes are no request as git's protocol has it. The message is a sentence for the person. */
export class UnfitRequest extends Error {
  override readonly name = 'UnfitRequest';

  constructor() {
    super('This request is not understood: it is not of the form that git gives it.');
  }
}

/** More than git names in one request. A client can send many more, and looking at all of them would take long. */
const maxHaves = 20_000;
/** A client that fetches has one branch to ask for. One that lacks contents asks for each of them, and for no more. */
const maxWants = 1000;
/** Bytes of a line: the longest of git's own has a list of capabilities. */
const maxLineLength = 4096;
/** Words of a client about itself, and revisions at which a history is to be cut. */
const maxOthers = 100;
/** Lines between two looks at the clock. */
const restsAfter = 100;

const oid = /^[0-9a-f]{40}$/;
/** Digits: of a depth, or of seconds. */
const number = /^\d{1,20}$/;
/** Without characters that end a line in some program. Bytes beyond ASCII pass: names of refs may have them. */
const visible = /^[\x20-\x7e\x80-\xff]+$/;
/** One capability, such as `thin-pack` or `object-format=sha1`. */
const capability = /^[\x21-\x7e\x80-\xff]+$/;

const wantsOnce: ReadonlySet<string> = new Set([
  'thin-pack',
  'no-progress',
  'include-tag',
  'ofs-delta',
  'deepen-relative',
  'wait-for-done',
]);

/** What git's upload-pack understands behind the first want of versions 0 and 1. Others say nothing to it. */
const capabilities: ReadonlySet<string> = new Set([
  'multi_ack',
  'multi_ack_detailed',
  'no-done',
  'thin-pack',
  'side-band',
  'side-band-64k',
  'ofs-delta',
  'no-progress',
  'include-tag',
  'deepen-relative',
  'filter',
]);

/**
 * Reads a request to git-upload-pack by the grammar of gitprotocol-v2(5), or of gitprotocol-pack(5) for the versions
 * before it. Others get their turn meanwhile, however many lines it has.
 * @param body the whole request, unpacked
 * @throws UnfitRequest for everything that git's own clients do not send
 */
export async function readUploadRequest(body: Buffer, version: ProtocolVersion): Promise<UploadRequest> {
  try {
    return await runCooperatively(version === 2 ? readCommand(body) : readFetch(new Lines(body)));
  } catch (error) {
    throw error instanceof MalformedPacket ? new UnfitRequest() : error;
  }
}

/** `0001` and `0000`; the end of the body is undefined. */
type Mark = 'delimiter' | 'flush' | undefined;

/** The lines of a request, one after the other. */
class Lines {
  readonly #body: Buffer;
  #at = 0;
  count = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get length(): number {
    return this.#body.length;
  }

  /** @returns the next line without the line feed at its end, or what stands in its place */
  next(): { readonly line: string } | { readonly mark: Mark } {
    const body = this.#body;
    const at = this.#at;
    if (at === body.length) return { mark: undefined };
    const length = packetLength(body, at);
    if (length === undefined || at + length > body.length) throw new UnfitRequest();
    this.#at = at + length;
    if (length === packetHead) {
      const last = body[at + packetHead - 1];
      if (last === 0x30) return { mark: 'flush' };
      if (last === 0x31) return { mark: 'delimiter' };
      throw new UnfitRequest();
    }
    if (length - packetHead > maxLineLength) throw new UnfitRequest();
    this.count += 1;
    const end = this.#at - (body[this.#at - 1] === 0x0a ? 1 : 0);
    return { line: body.toString('latin1', at + packetHead, end) };
  }

  /** @returns the next line; undefined where a flush ends them */
  nextToEnd(): string | undefined {
    const next = this.next();
    if ('line' in next) return next.line;
    if (next.mark !== 'flush') throw new UnfitRequest();
    return undefined;
  }

  requireEnd(): void {
    if (this.#at !== this.#body.length) throw new UnfitRequest();
  }

  /** Whether it is time to look at the clock. */
  get isLong(): boolean {
    return this.count % restsAfter === 0;
  }
}

/** Collects what a client that fetches says, and writes it down again. */
class FetchBuilder {
  readonly #bytes: Buffer;
  #length = 0;
  readonly #wants: Oid[] = [];
  #wantCount = 0;
  #isWhole = true;
  readonly #haves: Oid[] = [];
  readonly #once = new Set<string>();
  #revisions = 0;

  /** @param longest bytes of the request as it came: written again, no line is longer */
  constructor(longest: number) {
    this.#bytes = Buffer.allocUnsafe(longest + extraBytes);
  }

  get hasWants(): boolean {
    return this.#wantCount > 0;
  }

  write(line: string): void {
    const length = packetHead + line.length;
    this.#length += this.#bytes.write(length.toString(16).padStart(packetHead, '0'), this.#length, 'latin1');
    this.#length += this.#bytes.write(line, this.#length, 'latin1');
  }

  mark(mark: '0000' | '0001'): void {
    this.#length += this.#bytes.write(mark, this.#length, 'latin1');
  }

  /** @param rest behind the name */
  want(name: string, rest = ''): void {
    if (!oid.test(name)) throw new UnfitRequest();
    this.#wantCount += 1;
    if (this.#wantCount <= maxWants) this.#wants.push(name);
    this.write(`want ${name}${rest}`);
  }

  have(name: string): void {
    if (!oid.test(name)) throw new UnfitRequest();
    if (this.#haves.length < maxHaves) this.#haves.push(name);
    this.write(`have ${name}`);
  }

  /** What asks for parts, in each version. @returns whether the line is of that kind */
  part(line: string, word: string, rest: string): boolean {
    if (word === 'shallow') {
      if (!oid.test(rest)) throw new UnfitRequest();
    } else if (word === 'deepen' || word === 'deepen-since') {
      if (!number.test(rest)) throw new UnfitRequest();
      this.once(word);
    } else if (word === 'deepen-not') {
      this.#revisions += 1;
      if (!visible.test(rest) || this.#revisions > maxOthers) throw new UnfitRequest();
    } else if (word === 'filter') {
      if (!visible.test(rest)) throw new UnfitRequest();
      this.once(word);
    } else return false;
    this.#isWhole = false;
    this.write(line);
    return true;
  }

  /** Refuses what is said twice. */
  once(word: string): void {
    if (this.#once.has(word)) throw new UnfitRequest();
    this.#once.add(word);
  }

  end(isLast: boolean): FetchRequest {
    return {
      command: 'fetch',
      bytes: this.#bytes.subarray(0, this.#length),
      wants: this.#isWhole && this.#wantCount <= maxWants ? this.#wants : null,
      haves: this.#haves,
      isLast,
    };
  }
}

/** For the lines that every request of version 2 begins with. */
const extraBytes = 100;

/** The words of a line: the first one, and all others. */
function splitWord(line: string): readonly [word: string, rest: string] {
  const space = line.indexOf(' ');
  return space < 0 ? [line, ''] : [line.slice(0, space), line.slice(space + 1)];
}

/** A request of version 2: a command, words of the client about itself, and what it wants from the command. */
function* readCommand(body: Buffer): Generator<void, UploadRequest> {
  const lines = new Lines(body);
  let command: string | undefined;
  let mark: Mark;
  for (;;) {
    const next = lines.next();
    if (!('line' in next)) {
      ({ mark } = next);
      break;
    }
    const { line } = next;
    if (line.startsWith('command=')) {
      if (command !== undefined) throw new UnfitRequest();
      command = line.slice('command='.length);
    } else if (!isAboutClient(line) || lines.count > maxOthers) throw new UnfitRequest();
  }
  if (mark === undefined) throw new UnfitRequest();
  // git tries so whether it is let in, before it sends a long request.
  if (command === undefined && lines.count === 0 && mark === 'flush') {
    lines.requireEnd();
    return emptyRequest(body);
  }
  if (command === 'ls-refs') return yield* readListing(lines, mark === 'delimiter');
  if (command !== 'fetch') throw new UnfitRequest();
  return yield* readFetchArguments(lines, mark === 'delimiter');
}

/** It is not handed to git: nothing follows from it. */
function isAboutClient(line: string): boolean {
  if (line === 'object-format=sha1') return true;
  const isKnown = ['agent=', 'server-option=', 'session-id='].some((start) => line.startsWith(start));
  return isKnown && visible.test(line);
}

function emptyRequest(body: Buffer): FetchRequest {
  const built = new FetchBuilder(body.length);
  built.mark('0000');
  return built.end(false);
}

function* readFetchArguments(lines: Lines, hasArguments: boolean): Generator<void, FetchRequest> {
  const built = new FetchBuilder(lines.length);
  built.write('command=fetch');
  built.write('object-format=sha1');
  built.mark('0001');
  let isLast = false;
  for (let line = hasArguments ? lines.nextToEnd() : undefined; line !== undefined; line = lines.nextToEnd()) {
    const [word, rest] = splitWord(line);
    if (word === 'have') built.have(rest);
    else if (word === 'want') built.want(rest);
    else if (line === 'done' || wantsOnce.has(line)) {
      built.once(line);
      built.write(line);
      isLast ||= line === 'done';
    } else if (!built.part(line, word, rest)) throw new UnfitRequest();
    if (lines.isLong) yield;
  }
  lines.requireEnd();
  built.mark('0000');
  return built.end(isLast);
}

const prefix = 'ref-prefix ';

function* readListing(lines: Lines, hasArguments: boolean): Generator<void, RefListing> {
  const flags = new Set<string>();
  let prefixes = 0;
  let [withHead, withMain] = [false, false];
  for (let line = hasArguments ? lines.nextToEnd() : undefined; line !== undefined; line = lines.nextToEnd()) {
    if (line.startsWith(prefix)) {
      const start = line.slice(prefix.length);
      prefixes += 1;
      withHead ||= 'HEAD'.startsWith(start);
      withMain ||= mainRef.startsWith(start);
    } else if (line === 'peel' || line === 'symrefs' || line === 'unborn') flags.add(line);
    else throw new UnfitRequest();
    if (lines.isLong) yield;
  }
  lines.requireEnd();
  return {
    command: 'ls-refs',
    withHead: withHead || prefixes === 0,
    withMain: withMain || prefixes === 0,
    hasTargets: flags.has('symrefs'),
    hasUnborn: flags.has('unborn'),
  };
}

/** A request of the versions before: what is wanted, then what is there. */
function* readFetch(lines: Lines): Generator<void, FetchRequest> {
  const built = new FetchBuilder(lines.length);
  for (let line = lines.nextToEnd(); line !== undefined; line = lines.nextToEnd()) {
    const [word, rest] = splitWord(line);
    if (word === 'want') {
      const [name, ofClient] = built.hasWants ? [rest, ''] : splitWord(rest);
      built.want(name, readCapabilities(ofClient));
    } else if (!built.hasWants || !built.part(line, word, rest)) throw new UnfitRequest();
    if (lines.isLong) yield;
  }
  built.mark('0000');
  let isLast = false;
  for (; built.hasWants;) {
    const next = lines.next();
    if (!('line' in next)) {
      if (next.mark === 'delimiter') throw new UnfitRequest();
      if (next.mark === 'flush') built.mark('0000');
      break;
    }
    const { line } = next;
    const [word, rest] = splitWord(line);
    isLast = line === 'done';
    if (isLast) {
      built.write(line);
      break;
    }
    if (word !== 'have') throw new UnfitRequest();
    built.have(rest);
    if (lines.isLong) yield;
  }
  lines.requireEnd();
  return built.end(isLast);
}

/** The capabilities behind the first want, without those that git passes over. */
function readCapabilities(text: string): string {
  const named = text.split(' ').filter((each) => each !== '');
  if (named.some((each) => !capability.test(each))) throw new UnfitRequest();
  if (named.some((each) => each.startsWith('object-format=') && each !== 'object-format=sha1')) {
    throw new UnfitRequest();
  }
  return [...new Set(named)].flatMap((each) => (capabilities.has(each) ? [` ${each}`] : [])).join('');
}
