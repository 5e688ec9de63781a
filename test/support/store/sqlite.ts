import { loadDriver, type Connection } from '../../../lib/sidecar/driver.js';

/** The driver of this Node, for tests that look into a file, or alter it, behind the program's back. */
export const Sqlite = loadDriver();
export type { Connection };
