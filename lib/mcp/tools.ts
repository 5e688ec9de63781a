import { briefEntry } from './brief-tool.js';
import { claimEntries } from './claim-tool.js';
import { findEntries } from './find-tools.js';
import { messageEntries } from './message-tool.js';
import { readersEntry } from './readers-tool.js';
import { readEntries } from './read-tool.js';
import type { ToolEntry } from './tool.js';
import { writeEntries } from './write-tools.js';

/**
 * What agents can ask: each tool, by its arguments where it does several things, and the operation that does it. Each
 * is described in schema/mcp under its name.
 */
export const tools: readonly ToolEntry[] = [
  briefEntry,
  ...findEntries,
  ...readEntries,
  ...writeEntries,
  readersEntry,
  ...claimEntries,
  ...messageEntries,
];
