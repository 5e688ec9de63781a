import { StringDecoder } from 'node:string_decoder';
import { showLine } from '../../domain/visible-text.js';
import type { Log } from '../../domain/log.js';
import { SourceFault } from '../source.js';
import { ProgramExchange, type RequestType } from './program-exchange.js';
import { maxLineLength, prepareReader, type FaultMessage, type Message, type ReadMessage } from './program-messages.js';
import { OutsideProgram } from './outside-program.js';
import { LineSplitter } from './split-lines.js';

/** Characters of a line that are buffered until it ends. */
const longestLine = 64 * 1024;

/** What bounds a program. */
export interface Bounds {
  /** Milliseconds in which it answers each request and each `next`. */
  readonly timeout: number;
  /** Milliseconds that it may run. */
  readonly life: number;
}

export interface ProgramMeans {
  /** The operator's name of it. */
  readonly name: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly log: Log;
  readonly bounds: Bounds;
  /** Takes the secret out of a text. */
  readonly scrub: (text: string) => string;
}

/** Bytes of our requests that it may leave unread. */
const maxUnread = 4 * 1024 * 1024;
/** Lines and bytes on its standard error, in one run. */
const maxComplaints = 200;
const maxComplaintLength = 1000;
const maxComplained = 16 * 1024 * 1024;

/**
 * A program that is running, and what is asked of it. The first thing that it does wrong ends it: a program that breaks
 * the protocol once is believed nothing more.
 */
export class Conversation {
  readonly #means: ProgramMeans;
  readonly #program: OutsideProgram;
  readonly #read: ReadMessage;
  readonly #lines = new LineSplitter(maxLineLength);
  readonly #stderrLines = new StderrLines();
  readonly #exchanges = new Map<number, ProgramExchange>();
  readonly #silences = new Map<number, NodeJS.Timeout>();
  readonly #life: NodeJS.Timeout;
  #greeted: ((probes: boolean) => void) | undefined;
  #failed: ((fault: SourceFault) => void) | undefined;
  #failure: SourceFault | undefined;
  #count = 0;
  #complaints = 0;
  #complained = 0;

  private constructor(means: ProgramMeans, read: ReadMessage) {
    this.#means = means;
    this.#read = read;
    this.#program = new OutsideProgram(means.command, means.folder, {
      output: (piece) => this.#hear(piece),
      complaint: (piece) => this.#note(piece),
      ended: (how) => {
        this.#log(this.#stderrLines.end());
        this.#fail('internal', `${how} before it had answered. The log of the service may say why.`);
      },
      notStarted: (code) => this.#fail('not_found', `cannot be started (${code}). Ask those who run the service.`),
    });
    const hours = means.bounds.life / 3_600_000;
    this.#life = setTimeout(
      () => this.#fail('network', `was not done after ${hours} hours.`),
      means.bounds.life,
    ).unref();
  }

  /**
   * Starts a program and greets it.
   * @returns the conversation, and whether it can be asked for a cheap look
   * @throws SourceFault
   */
  static async begin(
    means: ProgramMeans,
    hello: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly conversation: Conversation; readonly probes: boolean }> {
    const conversation = new Conversation(means, await prepareReader());
    const ready = new Promise<boolean>((resolve, reject) => {
      conversation.#greeted = resolve;
      conversation.#failed = reject;
    });
    conversation.#watch(greeting);
    conversation.#send({ type: 'hello', ...hello });
    try {
      return { conversation, probes: await ready };
    } catch (error) {
      await conversation.close();
      throw error;
    }
  }

  /** Makes a request. @throws SourceFault where the program has failed already */
  open(type: RequestType, members: Readonly<Record<string, unknown>>): ProgramExchange {
    if (this.#failure !== undefined) throw this.#failure;
    this.#count += 1;
    const id = this.#count;
    const exchange = new ProgramExchange(id, type, {
      send: (message) => {
        this.#send(message);
        this.#watchExchange(exchange);
      },
    });
    this.#exchanges.set(id, exchange);
    this.#send({ type, id, ...members });
    this.#watchExchange(exchange);
    return exchange;
  }

  /** Ends the program because of what it said. @param what the end of a sentence that begins with the program */
  reject(what: string): SourceFault {
    return this.#fail('corrupt', `${what}, against the protocol. Nothing of this run is used.`);
  }

  /** Ends the program and its children. @returns when they have ended */
  async close(): Promise<void> {
    const isIdle = this.#failure === undefined && this.#exchanges.size === 0 && this.#greeted === undefined;
    this.#failure ??= this.#faultOf('internal', 'was ended.');
    this.#end(this.#failure);
    await this.#program.stop(isIdle ? 'kindly' : 'at once');
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    if (this.#failure !== undefined) return;
    this.#program.write(`${JSON.stringify(message)}\n`);
    if (this.#program.unread > maxUnread) this.#fail('internal', 'does not read what it is asked.');
  }

  #hear(piece: Buffer): void {
    if (this.#failure !== undefined) return;
    try {
      for (const line of this.#lines.split(piece)) {
        const message = this.#read(line);
        if (typeof message === 'string') this.reject(`wrote a line that ${message}`);
        else this.#take(message);
        if (this.#failure !== undefined) return;
      }
    } catch {
      this.reject(`wrote a line of more than ${maxLineLength} bytes`);
    }
  }

  #take(message: Message): void {
    if (message.type === 'ready') return this.#greet(message.probe === true);
    if (message.type === 'fault') return this.#takeFault(message);
    if (this.#greeted !== undefined) return void this.reject('answered before it was ready');
    const exchange = this.#exchanges.get(message.id);
    if (exchange === undefined)
      return void this.reject(`sent ${message.type} for a request that is over, or never was`);
    const wrong = exchange.accept(message);
    if (wrong !== undefined) return void this.reject(wrong);
    if (exchange.isOver) this.#forget(exchange.id);
    else this.#watchExchange(exchange);
  }

  #greet(probes: boolean): void {
    if (this.#greeted === undefined) return void this.reject('said that it was ready twice');
    this.#forget(greeting);
    this.#greeted(probes);
    this.#greeted = undefined;
  }

  #takeFault({ id, fault, message, retry_after: retryAfter }: FaultMessage): void {
    const shown = this.show(message);
    const wait = retryAfter === undefined ? {} : { retryAfter };
    const found = new SourceFault(fault, /[.!?]$/.test(shown) ? shown : `${shown}.`, wait);
    if (id === undefined || this.#greeted !== undefined) return this.#end(found);
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return void this.reject('sent a fault for a request that is over, or never was');
    exchange.fail(found);
    this.#forget(id);
  }

  /** A text of the program, for people and logs: one line without the secret. */
  show(text: string): string {
    return showLine(this.#means.scrub(text));
  }

  /** Its standard error goes to the log, up to a bound. */
  #note(piece: Buffer): void {
    this.#complained += piece.length;
    if (this.#complained > maxComplained) {
      if (this.#failure === undefined) this.#fail('limit', 'floods its standard error.');
      return;
    }
    if (this.#complaints < maxComplaints) for (const line of this.#stderrLines.take(piece)) this.#log(line);
  }

  #log(complaint: string): void {
    if (complaint === '' || this.#complaints >= maxComplaints) return;
    this.#complaints += 1;
    const line = this.show(complaint).slice(0, maxComplaintLength);
    this.#means.log.info({ program: this.#means.name, line }, 'A connector program wrote to its standard error');
  }

  /** Begins, goes on or ends to wait for what the program owes. */
  #watchExchange(exchange: ProgramExchange): void {
    if (!exchange.isOwed) this.#unwatch(exchange.id);
    else this.#watch(exchange.id);
  }

  #watch(id: number): void {
    this.#unwatch(id);
    if (this.#failure !== undefined) return;
    const { timeout } = this.#means.bounds;
    const stall = (): void => void this.#fail('network', `has said nothing for ${timeout / 1000} seconds.`);
    this.#silences.set(id, setTimeout(stall, timeout).unref());
  }

  #unwatch(id: number): void {
    clearTimeout(this.#silences.get(id));
    this.#silences.delete(id);
  }

  #forget(id: number): void {
    this.#unwatch(id);
    this.#exchanges.delete(id);
  }

  #faultOf(fault: SourceFault['fault'], what: string): SourceFault {
    return new SourceFault(fault, `The program "${this.#means.name}" ${what}`);
  }

  #fail(fault: SourceFault['fault'], what: string): SourceFault {
    const found = this.#faultOf(fault, what);
    this.#end(found);
    return found;
  }

  /** Nothing that it says counts any more. */
  #end(fault: SourceFault): void {
    this.#failure ??= fault;
    clearTimeout(this.#life);
    for (const id of this.#silences.keys()) this.#unwatch(id);
    for (const exchange of this.#exchanges.values()) exchange.fail(fault);
    this.#exchanges.clear();
    this.#failed?.(fault);
    void this.#program.stop('at once');
  }
}

/** Stands for the greeting among the ids of requests. */
const greeting = 0;

/** Cuts a program's standard error into lines. Only whole ones come out, or half a secret could pass for none. */
class StderrLines {
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #isTooLong = false;

  /** The lines that end in this piece. */
  take(piece: Buffer): string[] {
    const [first = '', ...more] = this.#decoder.write(piece).split('\n');
    const lines: string[] = [];
    this.#hold(first);
    for (const next of more) {
      lines.push(this.end());
      this.#hold(next);
    }
    return lines;
  }

  /** The rest, as a line. */
  end(): string {
    const line = this.#isTooLong ? `(a line of more than ${longestLine} characters)` : this.#held;
    [this.#held, this.#isTooLong] = ['', false];
    return line;
  }

  #hold(text: string): void {
    this.#isTooLong ||= this.#held.length + text.length > longestLine;
    this.#held = this.#isTooLong ? '' : this.#held + text;
  }
}
