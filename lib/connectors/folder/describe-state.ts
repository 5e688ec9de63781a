import type { BigIntStats } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Nanoseconds since 1970, as the system stamps files. */
export type Moment = bigint;

/** Milliseconds in which a system can give two changes of a file the same stamp. */
export const stampWidth = 20;

/** Some disks stamp by whole seconds, and FAT by two. */
const coarseWidth = 2_000_000_000n;
const second = 1_000_000_000n;

/** The system's time now: that of a file written now. */
export async function tellMoment(folder: string): Promise<Moment> {
  const path = join(folder, 'moment');
  await writeFile(path, '', { mode: 0o600 });
  return (await stat(path, { bigint: true })).ctimeNs;
}

/**
 * Names the state of a file: another state has another name. A file that has just changed can change again with the
 * same stamp. Its name holds the moment, so that it differs next time, and the file is read once more.
 * @param moment when the listing began
 */
export function describeState(stats: BigIntStats, moment: Moment): string {
  const { ctimeNs } = stats;
  const settled = ctimeNs % second === 0n ? ctimeNs + coarseWidth : ctimeNs;
  const state = stampsOf(stats);
  return settled > moment ? `${state}~${moment}` : state;
}

/** Whether a file still is in the state of that name. */
export function isInState(stats: BigIntStats, version: string): boolean {
  return stampsOf(stats) === version.split('~')[0];
}

function stampsOf({ size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${size}-${mtimeNs}-${ctimeNs}`;
}
