import { Counter, Histogram, type Registry } from 'prom-client';
import type { ConnectorMeans } from '../connectors/sources.js';
import type { ExtractorOptions } from '../extraction/extractor.js';
import type { Sent } from '../domain/webhook.js';
import type { BucketObserver } from '../stored/bucket-requests.js';
import type { JournalObserver } from '../journal/journal-options.js';

/** Who is notified of work that no request waits for to be seen. */
export interface WorkObservers {
  readonly journal: JournalObserver;
  readonly onRun: NonNullable<ConnectorMeans['onRun']>;
  /** A message of a webhook was sent, or could not be. */
  readonly onSent: (sent: Sent) => void;
  readonly onObjectRequest: BucketObserver;
  readonly texts: Required<Pick<ExtractorOptions, 'onRead' | 'onLost'>>;
}

/** Seconds of reading a file: a short one takes some milliseconds, the longest half a minute of a processor. */
const readingBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Seconds of a commit: a good disk takes a millisecond, a full queue of a bad one seconds. */
const commitBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Seconds of a request to a bucket: a small one takes some hundredths, a part of a large file minutes. */
const objectBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Counts commits, runs of connectors, deliveries of webhooks and texts of files. */
export function countWork(registry: Registry): WorkObservers {
  const registers = [registry];
  const commits = new Histogram({
    name: 'cartulary_journal_commit_duration_seconds',
    help: 'Time of one commit of a group of writes, with its sync to the disk',
    buckets: commitBuckets,
    registers,
  });
  const writes = new Counter({
    name: 'cartulary_journal_writes_total',
    help: 'Writes that were committed, with those that only add to the audit log',
    registers,
  });
  const failed = new Counter({
    name: 'cartulary_journal_failed_commits_total',
    help: 'Groups of writes that could not be committed',
    registers,
  });
  const runs = new Counter({
    name: 'cartulary_connector_runs_total',
    help: 'Ended runs of connectors, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    registers,
  });
  const deliveries = new Counter({
    name: 'cartulary_webhook_deliveries_total',
    help: 'Attempts to deliver a message of a webhook, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  const read = new Histogram({
    name: 'cartulary_text_duration_seconds',
    help: 'Time of reading a file for its text, by outcome: done, or the reason why there is none',
    labelNames: ['outcome'],
    buckets: readingBuckets,
    registers,
  });
  const bytes = new Counter({
    name: 'cartulary_text_file_bytes_total',
    help: 'Bytes of files that were read for their text',
    registers,
  });
  const ended = new Counter({
    name: 'cartulary_text_processes_ended_total',
    help: 'Processes that ended while they read a file: by its bounds, or from outside',
    labelNames: ['by'],
    registers,
  });
  const asked = new Counter({
    name: 'cartulary_objects_requests_total',
    help: 'Requests to the bucket with the copy, by method and status; fault where no answer came',
    labelNames: ['method', 'status'],
    registers,
  });
  const answered = new Histogram({
    name: 'cartulary_objects_request_duration_seconds',
    help: 'Time until the bucket with the copy has answered a request',
    labelNames: ['method'],
    buckets: objectBuckets,
    registers,
  });
  return {
    onObjectRequest(method, status, milliseconds) {
      asked.inc({ method, status: String(status) });
      answered.observe({ method }, milliseconds / 1000);
    },
    texts: {
      onRead({ extraction, bytes: size, milliseconds, isEnd }) {
        read.observe({ outcome: 'reason' in extraction ? extraction.reason : 'done' }, milliseconds / 1000);
        bytes.inc(size);
        if (isEnd) ended.inc({ by: 'bounds' });
      },
      onLost: () => ended.inc({ by: 'outside' }),
    },
    journal: {
      committed(count, milliseconds) {
        commits.observe(milliseconds / 1000);
        writes.inc(count);
      },
      failed: () => failed.inc(),
    },
    onRun: (kind, outcome) => runs.inc({ kind, outcome }),
    onSent: ({ outcome }) => deliveries.inc({ outcome }),
  };
}
