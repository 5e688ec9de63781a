import { useSyncExternalStore } from 'react';
import { asProblem } from '../../api/problem.ts';
import { retryWhenLimited } from '../../api/retry-when-limited.ts';
import type { PickedFile } from './collect-files.ts';
import { readEtag, sendFile } from './send-file.ts';

/** `taken`: a document is at the place already, and the person decides. */
export type UploadState = 'waiting' | 'sending' | 'done' | 'taken' | 'failed' | 'cancelled';

export interface Upload {
  readonly id: number;
  readonly workspace: string;
  readonly location: string;
  readonly file: File;
  readonly state: UploadState;
  /** From 0 to 1. */
  readonly sent: number;
  /** Why it failed, in a sentence. */
  readonly fault?: string;
}

/** What the panel shows of all uploads. */
export interface UploadSummary {
  readonly total: number;
  readonly done: number;
  readonly waiting: number;
  readonly sending: readonly Upload[];
  /** Those that need a decision or failed; the first ones. */
  readonly attention: readonly Upload[];
  readonly attentionCount: number;
  readonly isRunning: boolean;
}

const atOnce = 3;
const maxShown = 50;
const nothing: UploadSummary = {
  total: 0,
  done: 0,
  waiting: 0,
  sending: [],
  attention: [],
  attentionCount: 0,
  isRunning: false,
};

let next = 1;
const uploads = new Map<number, Upload>();
const aborts = new Map<number, AbortController>();
const listeners = new Set<() => void>();
const doneListeners = new Set<(workspace: string, location: string) => void>();
let summary = nothing;
let isDue = false;

function summarise(): void {
  isDue = false;
  const all = [...uploads.values()];
  const inState = (...states: UploadState[]): Upload[] => all.filter(({ state }) => states.includes(state));
  const attention = inState('taken', 'failed');
  const sending = inState('sending');
  const waiting = inState('waiting').length;
  summary = {
    total: all.length,
    done: inState('done').length,
    waiting,
    sending,
    attention: attention.slice(0, maxShown),
    attentionCount: attention.length,
    isRunning: waiting > 0 || sending.length > 0,
  };
  if (summary.isRunning) window.addEventListener('beforeunload', holdPage);
  else window.removeEventListener('beforeunload', holdPage);
  for (const listener of listeners) listener();
}

/** A page that closes ends its uploads. The browser asks first. */
function holdPage(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

/** Shown at most once in a frame: progress comes many times a second. */
function note(): void {
  if (isDue) return;
  isDue = true;
  window.requestAnimationFrame(summarise);
}

function change(id: number, to: Partial<Upload>): void {
  const upload = uploads.get(id);
  if (upload === undefined) return;
  uploads.set(id, { ...upload, ...to });
  note();
}

/** Begins to upload files into a folder. They go on while the person looks at other pages. */
export function startUploads(workspace: string, folder: string, picked: readonly PickedFile[]): void {
  for (const { file, path } of picked) {
    // A Mac names files in another normal form than the service stores.
    const name = path.normalize('NFC');
    const location = folder === '' ? name : `${folder}/${name}`;
    const id = next++;
    uploads.set(id, { id, workspace, location, file, state: 'waiting', sent: 0 });
  }
  note();
  pump();
}

function pump(): void {
  let room = atOnce - aborts.size;
  for (const { id, state } of uploads.values()) {
    if (room <= 0) return;
    if (state !== 'waiting') continue;
    room -= 1;
    void run(id);
  }
}

async function run(id: number, replace = false): Promise<void> {
  const upload = uploads.get(id);
  if (upload === undefined) return;
  const abort = new AbortController();
  aborts.set(id, abort);
  change(id, { state: 'sending', sent: 0 });
  const { workspace, location, file } = upload;
  const { signal } = abort;
  const onProgress = (sent: number): void => change(id, { sent });
  try {
    const etag = replace ? await readEtag(workspace, location) : undefined;
    await retryWhenLimited(
      () => sendFile({ workspace, location, file, signal, onProgress, ...(etag !== undefined && { etag }) }),
      signal,
    );
    change(id, { state: 'done', sent: 1 });
    for (const listener of doneListeners) listener(workspace, location);
  } catch (error) {
    change(id, signal.aborted ? { state: 'cancelled' } : outcomeOf(error));
  } finally {
    aborts.delete(id);
    pump();
  }
}

function outcomeOf(error: unknown): Partial<Upload> {
  const problem = asProblem(error);
  const isTaken = problem.code === 'CONFLICT' && problem.reason === 'name_taken';
  return { state: isTaken ? 'taken' : 'failed', fault: problem.sentence };
}

/** Stores the file as the next version of the document that is there. */
export function replaceTaken(id: number): void {
  void run(id, true);
}

/** Tries a failed one again. */
export function retryUpload(id: number): void {
  change(id, { state: 'waiting' });
  pump();
}

/** Ends one: what waits is not sent, and what is being sent is broken off. */
export function cancelUpload(id: number): void {
  aborts.get(id)?.abort();
  change(id, { state: 'cancelled' });
}

/** Ends all. What is stored stays. */
export function cancelUploads(): void {
  for (const { id, state } of uploads.values()) {
    if (state === 'waiting' || state === 'sending') cancelUpload(id);
  }
}

/** Forgets everything, once nothing runs any more. */
export function clearUploads(): void {
  cancelUploads();
  uploads.clear();
  note();
}

export function useUploads(): UploadSummary {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => summary,
  );
}

/** Calls when a file is stored. @returns ends it */
export function onUploaded(listener: (workspace: string, location: string) => void): () => void {
  doneListeners.add(listener);
  return () => doneListeners.delete(listener);
}
