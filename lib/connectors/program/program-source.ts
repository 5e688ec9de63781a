import { parseTime } from '../../domain/clock.js';
import {
  SourceFault,
  UnreadableFile,
  type Listing,
  type Source,
  type SourceEntry,
  type SourceFile,
} from '../source.js';
import type { Conversation } from './conversation.js';
import type { ProgramExchange } from './program-exchange.js';
import type { Answer, EntryMessage } from './program-messages.js';

/** Parts that are asked for before they are needed, so that the program never waits for us. */
const ahead = 3;

type Listed = Extract<Answer, { readonly type: 'listed' }>;

/** A source by way of an outside program. */
export class ProgramSource implements Source {
  readonly #conversation: Conversation;
  readonly #probes: boolean;
  readonly #maxEntries: number;

  constructor(conversation: Conversation, probes: boolean, maxEntries: number) {
    this.#conversation = conversation;
    this.#probes = probes;
    this.#maxEntries = maxEntries;
  }

  async check(signal: AbortSignal): Promise<string> {
    const answer = await this.#ask(this.#conversation.open('check', {}), signal);
    return answer.type === 'checked' ? this.#conversation.show(answer.found) : '';
  }

  async probe(cursor: string, signal: AbortSignal): Promise<'unchanged' | 'maybe_changed'> {
    if (!this.#probes) return 'maybe_changed';
    const answer = await this.#ask(this.#conversation.open('probe', { cursor }), signal);
    return answer.type === 'probed' && !answer.changed ? 'unchanged' : 'maybe_changed';
  }

  async #ask(exchange: ProgramExchange, signal: AbortSignal): Promise<Answer> {
    try {
      return await exchange.receive(signal);
    } finally {
      exchange.cancel();
    }
  }

  async list(cursor: string | null, signal: AbortSignal): Promise<Listing> {
    const exchange = this.#conversation.open('list', { cursor });
    const mode = await this.#readMode(exchange, cursor, signal);
    exchange.next(ahead);
    const end: { listed?: Listed } = {};
    return {
      mode,
      entries: this.#readEntries(exchange, mode, end, signal),
      cursor: () => end.listed?.cursor ?? null,
      version: () => end.listed?.version ?? null,
    };
  }

  async #readMode(exchange: ProgramExchange, cursor: string | null, signal: AbortSignal): Promise<Listing['mode']> {
    try {
      const answer = await exchange.receive(signal);
      const mode = answer.type === 'listing' ? answer.mode : 'snapshot';
      if (mode === 'delta' && cursor === null) throw this.#conversation.reject('sent changes since no cursor');
      return mode;
    } catch (error) {
      exchange.cancel();
      throw error;
    }
  }

  async *#readEntries(
    exchange: ProgramExchange,
    mode: Listing['mode'],
    end: { listed?: Listed },
    signal: AbortSignal,
  ): AsyncGenerator<readonly SourceEntry[]> {
    let count = 0;
    try {
      for (;;) {
        const answer = await exchange.receive(signal);
        if (answer.type === 'listed') {
          end.listed = answer;
          return;
        }
        const entries = answer.type === 'entries' ? answer.entries : [];
        exchange.next();
        // A part without entries counts too, or they would never end.
        count += Math.max(1, entries.length);
        if (count > this.#maxEntries) throw tooMany(this.#maxEntries);
        if (mode === 'snapshot' && entries.some(({ type }) => type === 'removed')) {
          throw this.#conversation.reject('listed a removal among all that there is');
        }
        yield entries.map((each) => asEntry(each, (text) => this.#conversation.show(text)));
      }
    } finally {
      exchange.cancel();
    }
  }

  async *read(file: SourceFile, maxBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { path, id, version, size } = file;
    const named = { path, version, ...(id === undefined ? {} : { id }) };
    const exchange = this.#conversation.open('read', { file: named, max_bytes: maxBytes });
    exchange.next(ahead);
    try {
      for (let received = 0; ;) {
        const answer = await exchange.receive(signal);
        if (answer.type === 'unreadable')
          throw new UnreadableFile(answer.reason, this.#conversation.show(answer.detail ?? ''));
        if (answer.type === 'complete') {
          if (answer.size !== received) throw this.#conversation.reject('ended a file too early');
          if (size !== undefined && size !== received) {
            throw new UnreadableFile('unreadable', 'it changed while it was read');
          }
          return;
        }
        const piece = answer.type === 'content' ? decode(answer.base64) : undefined;
        if (piece === undefined) throw this.#conversation.reject('sent content that is not in base64');
        exchange.next();
        received += piece.length;
        if (received > maxBytes) throw new UnreadableFile('too_large', `more than ${maxBytes} bytes`);
        yield piece;
      }
    } finally {
      exchange.cancel();
    }
  }

  close(): Promise<void> {
    return this.#conversation.close();
  }
}

/** @param show makes a text fit to be shown */
function asEntry(entry: EntryMessage, show: (text: string) => string): SourceEntry {
  if (entry.type === 'removed') {
    const { type, id, path } = entry;
    return id === undefined ? { type, path: path ?? '' } : { type, id, ...(path === undefined ? {} : { path }) };
  }
  if (entry.type === 'unreadable') return { ...entry, detail: show(entry.detail) };
  if (entry.type === 'skipped') return entry.detail === undefined ? entry : { ...entry, detail: show(entry.detail) };
  const { modified_at: time, ...file } = entry;
  const modifiedAt = time === undefined ? undefined : parseTime(time);
  return modifiedAt === undefined ? file : { ...file, modifiedAt };
}

/** Node reads around what is no base64; a text that is not what its bytes give is refused. */
function decode(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes : undefined;
}

function tooMany(most: number): SourceFault {
  return new SourceFault(
    'limit',
    `The source lists more than ${most} entries. Mirror a part of it, or ask those who run the service.`,
  );
}
