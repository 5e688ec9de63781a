import { annotationCommands } from './annotate.js';
import type { Command } from './command.js';
import { eraseCommands } from './erase.js';
import { auditCommands } from './export-audit.js';
import { messageCommands } from './exchange-messages.js';
import { importSource } from './import-source.js';
import { briefCommands } from './inspect-brief.js';
import { contentCommands } from './inspect-content.js';
import { readerCommands } from './inspect-readers.js';
import { initialize } from './initialize.js';
import { accessCommands } from './manage-access.js';
import { consentCommands } from './manage-consents.js';
import { policyCommands } from './manage-policy.js';
import { principalCommands } from './manage-principals.js';
import { signInCommands } from './manage-sign-in.js';
import { preserveCommands } from './preserve.js';
import { reportHealth } from './report-health.js';
import { reportSearch } from './report-search.js';

/**
 * The command line's table: the commands for the process that owns a data folder, each with its operations. A command
 * reads its fields and presents the result. The operations and `perform` keep rights, rules and records.
 */
export const commands: Readonly<Record<string, Command>> = {
  init: initialize,
  server: { scope: 'service', run: ({ server }) => Promise.resolve(server) },
  'health.report': { scope: 'service', run: ({ host }) => reportHealth(host) },
  'search.report': { scope: 'service', run: ({ host }) => Promise.resolve(reportSearch(host)) },
  ...principalCommands,
  ...accessCommands,
  ...signInCommands,
  ...consentCommands,
  ...policyCommands,
  ...contentCommands,
  ...annotationCommands,
  ...readerCommands,
  ...briefCommands,
  ...messageCommands,
  ...auditCommands,
  ...eraseCommands,
  import: importSource,
  ...preserveCommands,
};
