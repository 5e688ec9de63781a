import { briefRow } from './brief-tool.js';
import { claimRows } from './claim-tool.js';
import { findRows } from './find-tools.js';
import { messageRows } from './message-tool.js';
import { readersRow } from './readers-tool.js';
import { readRows } from './read-tool.js';
import type { Row } from './tool.js';
import { writeRows } from './write-tools.js';

/**
 * What agents can ask: each tool, by its arguments where it does several things, and the operation that does it. Each
 * is described in schema/mcp under its name.
 */
export const tools: readonly Row[] = [
  briefRow,
  ...findRows,
  ...readRows,
  ...writeRows,
  readersRow,
  ...claimRows,
  ...messageRows,
];
