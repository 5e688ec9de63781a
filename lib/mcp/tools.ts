import { briefEntry } from './brief-tool.js';
import { claimEntries } from './claim-tool.js';
import { commentEntries } from './comment-tool.js';
import { findEntries } from './find-tools.js';
import { lineEntries } from './lines-tool.js';
import { messageEntries } from './message-tool.js';
import { readersEntry } from './readers-tool.js';
import { pastEntries } from './past-tool.js';
import { readEntries } from './read-tool.js';
import type { ToolEntry } from './tool.js';
import { writeEntries } from './write-tools.js';

/**
 * The tools for agents, by their arguments where a tool does several things, each with its operation. Each is described
 * in schema/mcp under its name.
 */
export const tools: readonly ToolEntry[] = [
  briefEntry,
  ...lineEntries,
  ...findEntries,
  ...pastEntries,
  ...readEntries,
  ...writeEntries,
  readersEntry,
  ...claimEntries,
  ...commentEntries,
  ...messageEntries,
];
