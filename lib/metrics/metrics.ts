import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../domain/clock.js';
import type { RequestObserver } from '../http/exchange.js';
import { countRequests } from './count-requests.js';
import { countWork, type WorkObservers } from './count-work.js';
import { measuresOf, type MeasuredService } from './measure-service.js';

/** The running program. */
export interface MeasuredBuild {
  readonly version: string;
  /** Null when it does not know. */
  readonly commit: string | null;
}

/** Sums of what the library also gives by type. Their names are those of counters, which they are not. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Milliseconds for which a text holds: a flood of scrapes costs as much as one a second. */
const lastsFor = 1000;

/** The numbers of one service. */
export class Metrics {
  /** Counts requests, for the faces. */
  readonly requests: RequestObserver;
  /** Counts other work. */
  readonly work: WorkObservers;
  readonly #registry = new Registry();
  readonly #measure: (service: MeasuredService) => Promise<void>;
  readonly #clock: Pick<Clock, 'elapsed'>;
  #text: Promise<string> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor({ version, commit }: MeasuredBuild, clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock;
    const registers = [this.#registry];
    const build = new Gauge({
      name: 'cartulary_build_info',
      help: 'Always 1. The release of the program, and its commit where it runs from a checkout',
      labelNames: ['version', 'commit'],
      registers,
    });
    build.set({ version, commit: commit ?? '' }, 1);
    this.requests = countRequests(this.#registry);
    this.work = countWork(this.#registry);
    this.#measure = measuresOf(this.#registry);
    collectDefaultMetrics({ register: this.#registry });
    for (const name of misnamed) this.#registry.removeSingleMetric(name);
  }

  /** What the text is written in. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All numbers of a moment of at most a second ago, in the text form of Prometheus. @throws errors of the measures */
  read(service: MeasuredService): Promise<string> {
    const now = this.#clock.elapsed();
    if (this.#text === undefined || now - this.#readAt >= lastsFor) {
      this.#readAt = now;
      const text = this.#measure(service).then(() => this.#registry.metrics());
      text.catch(() => {
        // The next scrape tries again.
        if (this.#text === text) this.#text = undefined;
      });
      this.#text = text;
    }
    return this.#text;
  }
}
