import autocannon from 'autocannon';

/** The results of a load. */
export interface LoadResult {
  /** Requests answered with 2xx, a second. */
  readonly perSecond: number;
  /** Requests answered with 2xx. */
  readonly answered: number;
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
    /** Gets the answer's ETag. */
    readonly noteTag?: (etag: string) => void;
  };
}

/** The part of autocannon's state for one request of a connection. */
interface RequestContext {
  noteTag?: ((etag: string) => void) | undefined;
}

/** Sends requests over so many kept-alive connections. Each connection waits for its answer before the next request. */
export async function drive(load: Load): Promise<LoadResult> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    headers: { ...load.headers },
    ...(load.pace === undefined ? {} : { overallRate: load.pace }),
    requests: [
      {
        setupRequest(request, context: RequestContext) {
          const { method, path, body, headers, noteTag } = load.next();
          context.noteTag = noteTag;
          return {
            ...request,
            method,
            path,
            ...(body === undefined ? {} : { body }),
            headers: { ...request.headers, ...headers },
          };
        },
        onResponse(status, _body, context: RequestContext, headers) {
          const tag = (headers as Record<string, string> | undefined)?.['ETag'];
          if (status === 200 && tag !== undefined) context.noteTag?.(tag);
        },
      },
    ],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    answered: result['2xx'],
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
