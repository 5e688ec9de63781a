import { exportAudit, showAuditKey } from '../operations/audit/audit-log.js';
import type { ExportedLine } from '../audit/exported-line.js';
import type { Workspace } from '../workspace/workspace.js';
import { badField, type Fields } from './fields.js';
import { inWorkspace, type Command } from './command.js';

/** Lines handed over together. */
const batch = 256;

/** The export hands over the chain as lines of JSON, piece by piece, and is recorded itself. */
export const auditCommands: Readonly<Record<string, Command>> = {
  'audit.key': inWorkspace(async ({ perform }) => ({ public_key: (await perform(showAuditKey, {})).publicKey })),
  'audit.export': inWorkspace(async ({ workspace, perform, onProgress, signal }, fields) => {
    const present = await choosePresenter(workspace, fields);
    const entries = await perform(exportAudit, { withTexts: !fields.flag('no_texts') });
    let lines: string[] = [];
    let records = 0;
    for await (const entry of entries) {
      signal.throwIfAborted();
      const line = present(entry);
      if (line === undefined) continue;
      lines.push(JSON.stringify(line));
      if ('record' in entry) records += 1;
      if (lines.length === batch) {
        await onProgress({ lines });
        lines = [];
      }
    }
    if (lines.length > 0) await onProgress({ lines });
    return { records };
  }),
};

/** The export's own lines, or events of OCSF, which have no signatures. @throws Refusal INVALID_REQUEST `bad_field` */
async function choosePresenter(
  { name, origin, journal }: Workspace,
  fields: Fields,
): Promise<(line: ExportedLine) => object | undefined> {
  const format = fields.optionalText('format');
  if (format === undefined) return (line) => line;
  if (format !== 'ocsf') throw badField('format', 'must be ocsf, or be left out');
  const { toOcsf } = await import('../audit/to-ocsf.js');
  const product = { workspace: name, release: origin.release };
  const { principals } = journal.reader;
  return (line) => ('record' in line ? toOcsf(line, product, (id) => principals.find(id)) : undefined);
}
