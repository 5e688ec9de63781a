import autocannon from 'autocannon';

/** What a load found. */
export interface LoadResult {
  /** Requests answered with 2xx, a second. */
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly failures: number;
}

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second over all connections; left out, as many as are answered. */
  readonly pace?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the next request; called in order, from one thread. */
  readonly next: () => {
    readonly method: 'GET' | 'PUT' | 'POST';
    readonly path: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** Sends requests over that many kept-alive connections, each waiting for its answer before the next. */
export async function drive(load: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    headers: { ...load.headers },
    ...(load.pace === undefined ? {} : { overallRate: load.pace }),
    requests: [
      {
        setupRequest(request) {
          const { method, path, body, headers } = load.next();
          return {
            ...request,
            method,
            path,
            ...(body === undefined ? {} : { body }),
            headers: { ...request.headers, ...headers },
          };
        },
      },
    ],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}

/** The middle one; the lower of the two middles of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** Runs the same load several times and takes the medians. */
export async function driveRepeatedly(times: number, load: Load): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (let run = 0; run < times; run += 1) results.push(await drive(load));
  return {
    perSecond: median(results.map((result) => result.perSecond)),
    p50: median(results.map((result) => result.p50)),
    p99: median(results.map((result) => result.p99)),
    failures: results.reduce((sum, result) => sum + result.failures, 0),
  };
}
