import type { Tables } from '../sidecar/tables.js';

/** The name of the value that holds the time. */
const key = 'backed_up_at';

/** Notes that a whole backup was made. @param now milliseconds since 1970 */
export function noteBackup({ meta }: Pick<Tables, 'meta'>, now: number): void {
  meta.set(key, String(now));
}

/** When the last backup was made, in milliseconds since 1970; undefined where there was none since the workspace was made. */
export function findLastBackup({ meta }: Pick<Tables, 'meta'>): number | undefined {
  const text = meta.get(key);
  return text === undefined ? undefined : Number(text);
}
