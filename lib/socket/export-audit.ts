import { exportAudit, showAuditKey } from '../operations/audit/audit-log.js';
import { inWorkspace, type Command } from './command.js';

/** Lines handed over together. */
const batch = 256;

/** The export hands over the chain as lines of JSON, piece by piece, and is recorded itself. */
export const auditCommands: Readonly<Record<string, Command>> = {
  'audit.key': inWorkspace(async ({ perform }) => ({ public_key: (await perform(showAuditKey, {})).publicKey })),
  'audit.export': inWorkspace(async ({ perform, onProgress, signal }, fields) => {
    const entries = await perform(exportAudit, { withTexts: !fields.flag('no_texts') });
    let lines: string[] = [];
    let records = 0;
    for await (const entry of entries) {
      signal.throwIfAborted();
      lines.push(JSON.stringify(entry));
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
