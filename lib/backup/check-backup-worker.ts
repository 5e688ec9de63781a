/** A worker thread's program: lays out a backup in a folder of its own, and checks all of it. */
import { parentPort, workerData } from 'node:worker_threads';
import { describeError } from '../domain/describe-error.js';
import { problemsOf } from './check-backup.js';
import { layOutBackup, requireSound, type BackupToLayOut } from './lay-out-backup.js';

export interface BackupCheck extends BackupToLayOut {
  /** An empty folder. */
  readonly stage: string;
  readonly git: 'auto' | 'never';
  /** Of the audit chain, in PEM. */
  readonly publicKey: string;
}

/** The problems found, a sentence each. */
export type FoundProblems = readonly string[];

const { stage, git, publicKey, ...backup } = workerData as BackupCheck;

async function check(): Promise<FoundProblems> {
  try {
    await layOutBackup(backup, stage, { git });
    await requireSound(backup, stage, { git, publicKey });
    return [];
  } catch (error) {
    return problemsOf(error) ?? [`It could not be checked: ${describeError(error)}`];
  }
}

parentPort?.postMessage(await check(), []);
