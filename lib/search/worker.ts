/** A worker thread's program: analyses documents, merges and stores segments, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { analyzeDocument, type SearchDocument } from './analyze-document.js';
import type { SegmentState } from './living-segment.js';
import { mergeSegments } from './merge-segments.js';
import { storeSegment } from './segment-files.js';
import { Segment } from './segment.js';
import { forgetStems } from './stem-word.js';
import { writeSegment } from './write-segment.js';

export type Job =
  /** Answers with the memory of a segment. */
  | { readonly type: 'analyze'; readonly documents: readonly SearchDocument[] }
  /** Answers with the memory of a segment. */
  | { readonly type: 'merge'; readonly inputs: readonly (SegmentState & { readonly buffer: SharedArrayBuffer })[] }
  /** Answers with the name of the file. */
  | { readonly type: 'store'; readonly folder: string; readonly buffer: SharedArrayBuffer }
  /** Answers with null, after which no word of a document is left behind here. */
  | { readonly type: 'forget' };

export interface JobRequest {
  readonly id: number;
  readonly job: Job;
}

export type JobAnswer =
  | { readonly id: number; readonly result: SharedArrayBuffer | string | null }
  | { readonly id: number; readonly error: Error };

function runJob(job: Job): SharedArrayBuffer | string | null {
  switch (job.type) {
    case 'analyze':
      return writeSegment(job.documents.map(analyzeDocument)).buffer;
    case 'merge':
      return mergeSegments(job.inputs.map((input) => ({ ...input, segment: new Segment(input.buffer) }))).buffer;
    case 'store':
      return storeSegment(job.folder, new Segment(job.buffer));
    case 'forget':
      forgetStems();
      return null;
  }
}

parentPort?.on('message', ({ id, job }: JobRequest) => {
  let answer: JobAnswer;
  try {
    answer = { id, result: runJob(job) };
  } catch (error) {
    answer = { id, error: error as Error };
  }
  parentPort?.postMessage(answer, []);
});
