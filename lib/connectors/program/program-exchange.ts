import type { Answer } from './program-messages.js';

export type RequestType = 'check' | 'probe' | 'list' | 'read';

/** The parts of each request, and what ends it. A fault can end each. */
const lawful: Readonly<Record<RequestType, { readonly parts: readonly string[]; readonly ends: readonly string[] }>> = {
  check: { parts: [], ends: ['checked'] },
  probe: { parts: [], ends: ['probed'] },
  list: { parts: ['listing', 'entries'], ends: ['listed'] },
  read: { parts: ['content'], ends: ['complete', 'unreadable'] },
};

/** What an exchange needs of the conversation that it belongs to. */
export interface Line {
  send(message: Readonly<Record<string, unknown>>): void;
}

/** One request with its answers. The program may send as many parts as were asked for, and no more. */
export class ProgramExchange {
  readonly id: number;
  readonly type: RequestType;
  readonly #line: Line;
  readonly #answers: Answer[] = [];
  #waiting: { readonly resolve: (answer: Answer) => void; readonly reject: (reason: unknown) => void } | undefined;
  #failure: { readonly reason: unknown } | undefined;
  #owed: number;
  #hasBegun: boolean;
  #isCancelled = false;
  #isOver = false;

  constructor(id: number, type: RequestType, line: Line) {
    this.id = id;
    this.type = type;
    this.#line = line;
    this.#owed = type === 'read' ? 0 : 1;
    this.#hasBegun = type !== 'list';
  }

  /** Whether the program owes it an answer. */
  get isOwed(): boolean {
    return !this.#isOver && this.#owed > 0;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Asks for so many more parts. */
  next(count = 1): void {
    for (let asked = 0; asked < count && !this.#isOver; asked += 1) {
      this.#owed += 1;
      this.#line.send({ type: 'next', id: this.id });
    }
  }

  /** The service wants no more of it. What still comes is dropped. */
  cancel(): void {
    if (this.#isOver || this.#isCancelled) return;
    this.#isCancelled = true;
    this.#owed += 1;
    this.#line.send({ type: 'cancel', id: this.id });
  }

  /** Takes an answer of the program. @returns what is wrong with it, the end of a sentence; undefined where nothing is */
  accept(answer: Answer): string | undefined {
    const { parts, ends } = lawful[this.type];
    const isEnd = ends.includes(answer.type) || (answer.type === 'cancelled' && this.#isCancelled);
    const isPart = parts.includes(answer.type) && (answer.type === 'listing') !== this.#hasBegun;
    if (!isEnd && !isPart) return `answered ${this.type} with ${answer.type}`;
    if (!this.#hasBegun && isEnd && !this.#isCancelled) return `ended ${this.type} before it began`;
    if (this.#owed === 0) return `sent ${answer.type} without being asked`;
    this.#owed -= 1;
    this.#hasBegun = true;
    if (isEnd) this.#isOver = true;
    if (this.#isCancelled) return undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.#answers.push(answer);
    else waiting.resolve(answer);
    return undefined;
  }

  /** It is over with this error. What came before can still be taken. */
  fail(reason: unknown): void {
    this.#isOver = true;
    this.#failure ??= { reason };
    this.#waiting?.reject(reason);
    this.#waiting = undefined;
  }

  /** The next answer. @throws the fault with which it ended; the signal's reason */
  async receive(signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const answer = this.#answers.shift();
    if (answer !== undefined) return answer;
    if (this.#failure !== undefined) throw this.#failure.reason;
    const { promise, resolve, reject } = withResolvers<Answer>();
    this.#waiting = { resolve, reject };
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiting = undefined;
    }
  }
}

interface Resolvers<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (reason: unknown) => void;
}

function withResolvers<Value>(): Resolvers<Value> {
  let [resolve, reject]: [(value: Value) => void, (reason: unknown) => void] = [() => undefined, () => undefined];
  const promise = new Promise<Value>((...functions) => ([resolve, reject] = functions));
  return { promise, resolve, reject };
}
