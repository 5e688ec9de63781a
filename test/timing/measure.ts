import { Agent, request } from 'node:http';
import type { Case, Sent } from './cases.js';

/** One caller on one kept-alive connection. */
export class Stopwatch {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#port = Number(new URL(url).port);
    this.#key = key;
  }

  /** @returns nanoseconds from sending to the last byte, and the status */
  time({ method, path, headers, body }: Sent): Promise<{ readonly took: number; readonly status: number }> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const sent = {
      Authorization: `Bearer ${this.#key}`,
      ...(bytes === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
      ...headers,
    };
    const options = { host: '127.0.0.1', port: this.#port, method, path, headers: sent, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const started = process.hrtime.bigint();
      const outgoing = request(options, (answer) => {
        answer.on('end', () =>
          resolve({ took: Number(process.hrtime.bigint() - started), status: answer.statusCode ?? 0 }),
        );
        answer.resume();
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

interface Measured {
  readonly auc: number;
  /** Medians in microseconds. */
  readonly hidden: number;
  readonly absent: number;
}

/**
 * Times pairs, in an order decided by a coin, and computes how well a threshold on the time would separate them.
 * @throws Error when the status already separates them
 */
export async function measure(
  watch: Stopwatch,
  { name, request: ask }: Case,
  pairs: number,
  coin: () => boolean,
): Promise<Measured> {
  const times: Record<'hidden' | 'absent', number[]> = { hidden: [], absent: [] };
  const warmUp = Math.min(300, pairs);
  for (let pair = -warmUp; pair < pairs; pair += 1) {
    const statuses = new Set<number>();
    for (const is of coin() ? (['hidden', 'absent'] as const) : (['absent', 'hidden'] as const)) {
      const { took, status } = await watch.time(ask(is, Math.abs(pair) * 7));
      statuses.add(status);
      if (pair >= 0) times[is].push(took);
    }
    if (statuses.size > 1) throw new Error(`${name}: told apart by status, ${[...statuses].join(' and ')}`);
  }
  const { hidden, absent } = times;
  return { auc: areaUnderCurve(hidden, absent), hidden: median(hidden) / 1000, absent: median(absent) / 1000 };
}

/**
 * The probability that one of `left` is above one of `right` (ties count half): 0.5 when nothing separates them. By
 * ranks, as in the Mann–Whitney U test.
 */
export function areaUnderCurve(left: readonly number[], right: readonly number[]): number {
  const all = [...left.map((value) => ({ value, isLeft: true })), ...right.map((value) => ({ value, isLeft: false }))];
  all.sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let start = 0; start < all.length;) {
    let end = start;
    while (end < all.length && all[end]?.value === all[start]?.value) end += 1;
    const rank = (start + 1 + end) / 2;
    rankSum += rank * all.slice(start, end).filter(({ isLeft }) => isLeft).length;
    start = end;
  }
  return (rankSum - (left.length * (left.length + 1)) / 2) / (left.length * right.length);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
