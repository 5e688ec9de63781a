import type { Command } from './command.js';

type Table = Readonly<Record<string, Command>>;

const annotations = async (): Promise<Table> => (await import('./annotation-commands.js')).annotationCommands;
const access = async (): Promise<Table> => (await import('./access-commands.js')).accessCommands;
const principals = async (): Promise<Table> => (await import('./principal-commands.js')).principalCommands;
const signIns = async (): Promise<Table> => (await import('./sign-in-commands.js')).signInCommands;
const contents = async (): Promise<Table> => (await import('./content-commands.js')).contentCommands;
const reads = async (): Promise<Table> => (await import('./reading-commands.js')).readingCommands;
const writes = async (): Promise<Table> => (await import('./writing-commands.js')).writingCommands;
const erases = async (): Promise<Table> => (await import('./erase-commands.js')).eraseCommands;
const asksAudit = async () => (await import('./audit-question-commands.js')).auditQuestionCommands;
const preserves = async (): Promise<Table> => (await import('./preserve-commands.js')).preserveCommands;

/**
 * The command line's table: the commands for the process that owns a data folder, each with its operations. A command
 * reads its fields and presents the result. The operations and `perform` keep rights, rules and records. A table is
 * found by the first word of its commands, and loaded at their first use: a command without a server loads no other.
 */
export const commandTables: Readonly<Record<string, () => Promise<Table>>> = {
  init: async () => ({ init: (await import('./initialize.js')).initialize }),
  server: () => Promise.resolve({ server: { scope: 'service', run: ({ server }) => Promise.resolve(server) } }),
  health: async () => {
    const { reportHealth } = await import('./operator/report-health.js');
    return { 'health.report': { scope: 'service', run: ({ host }) => reportHealth(host) } };
  },
  names: async () => {
    const { reportNames } = await import('./operator/report-names.js');
    return { 'names.report': { scope: 'service', run: ({ host }) => reportNames(host) } };
  },
  search: async () => {
    const { reportSearch } = await import('./operator/report-search.js');
    return {
      'search.report': { scope: 'service', run: ({ host }) => Promise.resolve(reportSearch(host)) },
      ...(await reads()),
    };
  },
  ls: reads,
  cat: reads,
  put: writes,
  follow: async () => (await import('./follow-commands.js')).followCommands,
  mv: writes,
  rm: writes,
  workspace: async () => (await import('./workspace-commands.js')).workspaceCommands,
  principal: principals,
  group: principals,
  grant: access,
  key: access,
  link: signIns,
  sessions: signIns,
  consent: async () => (await import('./consent-commands.js')).consentCommands,
  policy: async () => (await import('./policy-commands.js')).policyCommands,
  document: contents,
  folder: contents,
  claim: annotations,
  comment: annotations,
  label: annotations,
  readers: async () => (await import('./reader-commands.js')).readerCommands,
  brief: async () => (await import('./brief-commands.js')).briefCommands,
  changes: async () => (await import('./change-commands.js')).changeCommands,
  message: async () => (await import('./message-commands.js')).messageCommands,
  audit: async () => ({
    ...(await import('./audit-export-commands.js')).auditCommands,
    ...(await asksAudit()),
    ...(await preserves()),
  }),
  who: asksAudit,
  connector: async () => (await import('./connector-commands.js')).connectorCommands,
  webhook: async () => (await import('./webhook-commands.js')).webhookCommands,
  erase: erases,
  erasures: erases,
  import: async () => ({ import: (await import('./import/import-source.js')).importSource }),
  backup: async () => ({ ...(await preserves()), ...(await import('./kept-backup-commands.js')).keepBackupsCommands }),
  rebuild: preserves,
};

/** The command of this name, e.g. `principal.add`. */
export async function findCommand(name: string): Promise<Command | undefined> {
  const [word = ''] = name.split('.', 1);
  const load = Object.hasOwn(commandTables, word) ? commandTables[word] : undefined;
  const table = await load?.();
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
