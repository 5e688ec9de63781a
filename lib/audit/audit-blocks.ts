import type { Steps } from '../scheduling/in-steps.js';
import type { AuditQueryTable } from '../sidecar/tables/audit-query-table.js';

/** Records of one block. */
const blockSize = 1000;

/** What is remembered of a block: its times, and a mark of each request in it. */
interface Block {
  readonly firstAt: number;
  readonly lastAt: number;
  /** Sorted. */
  readonly marks: Uint32Array;
}

/**
 * Says in which blocks of the log a time or a request can be, so that the others are not read. An index would cost each
 * write more: ids of requests are in no order, and clocks can be set back. A block never changes once it is full. It is
 * read at the first question that needs it.
 */
export class AuditBlocks {
  readonly #blocks = new Map<number, Block>();

  /** Reads the full blocks that are not known yet. @returns the number of the first record behind them */
  *#learn(table: AuditQueryTable, last: number): Steps<number> {
    const first = Math.ceil((table.first() - 1) / blockSize);
    const end = Math.floor(last / blockSize);
    for (let number = first; number < end; number += 1) {
      if (this.#blocks.has(number)) continue;
      const rows = table.marks(number * blockSize + 1, (number + 1) * blockSize);
      // The records may have gone into an archive meanwhile.
      if (rows.length === blockSize) this.#blocks.set(number, toBlock(rows));
      yield;
    }
    return end * blockSize + 1;
  }

  /** The smallest range with all records between two times, both included. */
  *rangeOf(
    table: AuditQueryTable,
    last: number,
    from: number,
    to: number,
  ): Steps<{ readonly first: number; readonly last: number }> {
    const rest = yield* this.#learn(table, last);
    const begun = table.first();
    let [lowest, highest] = [rest, last];
    const isOpen = to === Number.MAX_SAFE_INTEGER;
    if (!isOpen && table.marks(rest, last).every(([at]) => at > to)) highest = rest - 1;
    const numbers = [...this.#blocks.keys()].toSorted((a, b) => a - b);
    const fits = (number: number): boolean => {
      const block = this.#blocks.get(number);
      return block === undefined || (block.lastAt >= from && block.firstAt <= to);
    };
    const firstFit = numbers.find(fits);
    if (firstFit !== undefined) lowest = firstFit * blockSize + 1;
    // The rest of a block whose beginning was archived.
    if (begun % blockSize !== 1) lowest = Math.min(lowest, begun);
    if (highest < rest) {
      const lastFit = numbers.findLast(fits);
      highest = lastFit === undefined ? Math.ceil(begun / blockSize) * blockSize : (lastFit + 1) * blockSize;
    }
    return { first: lowest, last: highest };
  }

  /** The records of a request, the last first. */
  *ofRequest(table: AuditQueryTable, last: number, requestId: string): Steps<number[]> {
    const rest = yield* this.#learn(table, last);
    const mark = markOf(requestId);
    const begun = table.first();
    const found = table.ofRequest(requestId, begun, Math.ceil((begun - 1) / blockSize) * blockSize);
    for (const [number, { marks }] of this.#blocks) {
      if (!holds(marks, mark)) continue;
      found.push(...table.ofRequest(requestId, number * blockSize + 1, (number + 1) * blockSize));
      yield;
    }
    found.push(...table.ofRequest(requestId, rest, last));
    return found.toSorted((a, b) => b - a);
  }
}

function toBlock(rows: readonly (readonly [at: number, requestId: string | null])[]): Block {
  let [firstAt, lastAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const marks = new Uint32Array(rows.length);
  for (const [index, [at, requestId]] of rows.entries()) {
    firstAt = Math.min(firstAt, at);
    lastAt = Math.max(lastAt, at);
    marks[index] = requestId === null ? 0 : markOf(requestId);
  }
  return { firstAt, lastAt, marks: marks.toSorted() };
}

/** FNV-1a, 32 bits. Another text may have the same: it only costs a look. */
function markOf(text: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
  }
  return mark >>> 0;
}

function holds(marks: Uint32Array, mark: number): boolean {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle] ?? 0) < mark) low = middle + 1;
    else high = middle;
  }
  return marks[low] === mark;
}
