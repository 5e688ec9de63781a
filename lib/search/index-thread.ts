/** A worker thread's program: analyses documents, merges and stores segments, one request at a time. */
import { parentPort } from 'node:worker_threads';
import { analyzeDocument, type SearchDocument } from './analysis/analyze-document.js';
import { forgetLanguages, openLanguages, type LanguageCode } from './languages/languages.js';
import type { SegmentState } from './segments/segment-reader.js';
import { openVectors } from './meaning/open-vectors.js';
import { mergeSegments } from './segments/merge-segments.js';
import { storeSegment } from './segments/segment-files.js';
import { Segment } from './segments/segment.js';
import { forgetStems } from './analysis/stem-word.js';
import { writeSegment } from './segments/write-segment.js';

export type Job =
  /** Answers with the memory of a segment. */
  | {
      readonly type: 'analyze';
      readonly documents: readonly SearchDocument[];
      readonly languages: readonly LanguageCode[];
      /** Name of the word vectors to find directions with, or null. */
      readonly vectors: string | null;
    }
  /** Answers with the memory of a segment. */
  | {
      readonly type: 'merge';
      readonly inputs: readonly (SegmentState & { readonly buffer: SharedArrayBuffer })[];
      readonly keepsDirections: boolean;
    }
  /** Answers with the name of the file. */
  | { readonly type: 'store'; readonly folder: string; readonly buffer: SharedArrayBuffer }
  /** Answers with null; after that no word of a document is left here. */
  | { readonly type: 'forget' };

export interface JobRequest {
  readonly id: number;
  readonly job: Job;
}

export type JobAnswer =
  | { readonly id: number; readonly result: SharedArrayBuffer | string | null }
  | { readonly id: number; readonly error: Error };

async function runJob(job: Job): Promise<SharedArrayBuffer | string | null> {
  switch (job.type) {
    case 'analyze': {
      const vectors = job.vectors === null ? null : openVectors(job.vectors);
      const reading = { languages: openLanguages(job.languages), vectors };
      return writeSegment(job.documents.map((document) => analyzeDocument(document, reading))).buffer;
    }
    case 'merge': {
      const inputs = job.inputs.map((input) => ({ ...input, segment: new Segment(input.buffer) }));
      return mergeSegments(inputs, job.keepsDirections).buffer;
    }
    case 'store':
      return storeSegment(job.folder, new Segment(job.buffer));
    case 'forget':
      forgetStems();
      forgetLanguages();
      return null;
  }
}

async function answer({ id, job }: JobRequest): Promise<void> {
  let answered: JobAnswer;
  try {
    answered = { id, result: await runJob(job) };
  } catch (error) {
    answered = { id, error: error as Error };
  }
  parentPort?.postMessage(answered, []);
}

let last = Promise.resolve();
parentPort?.on('message', (request: JobRequest) => {
  last = last.then(() => answer(request));
});
