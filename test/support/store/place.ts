import { parseLocation, rootLocation } from '../../../lib/domain/location.js';
import { operatorId } from '../../../lib/domain/principal.js';
import type { Role } from '../../../lib/domain/role.js';
import { findDocument, findFolder } from '../../../lib/view/locate.js';
import type { TestService } from './service.js';

/** Makes an existing folder a mirror, as a connector would. */
export async function mirror({ workspace }: TestService, folder: string, connector = 'con_test'): Promise<void> {
  await workspace.journal.write({
    run: ({ tables }) => {
      const found = findFolder(tables, parseLocation(folder));
      if (found === undefined) throw new Error(`There is no folder ${folder}.`);
      tables.folders.setMirror(found.row.number, connector);
    },
  });
}

/** A connector as a principal, with one grant at the root. @returns its id */
export async function addConnector(
  service: TestService,
  displayName: string,
  role: Role = 'editor',
  id = 'prn_con00000000000000000000000',
): Promise<string> {
  await service.workspace.journal.write({
    run: ({ tables, now }) => {
      tables.principals.insert({ id, kind: 'connector', displayName, createdAt: now, disabledAt: null });
      const subject = { type: 'principal', id } as const;
      const scope = { type: 'folder', location: rootLocation } as const;
      tables.grants.insert({ id: `grt_${id}`, scope, subject, role, grantedBy: operatorId, createdAt: now });
    },
  });
  return id;
}

/** Claims a whole document for a principal, for an hour. */
export async function claim({ workspace }: TestService, location: string, holderId: string): Promise<void> {
  await workspace.journal.write({
    run: ({ tables, now }) => {
      const found = findDocument(tables, parseLocation(location));
      const holder = tables.principals.find(holderId);
      if (found === undefined || holder === undefined) throw new Error(`Nothing to claim at ${location}.`);
      tables.claims.insert({
        id: `clm_${found.row.number}`,
        document: found.row.number,
        section: null,
        holder: { id: holder.id, kind: holder.kind, displayName: holder.displayName },
        purpose: null,
        claimedAt: now,
        expiresAt: now + 60 * 60 * 1000,
      });
    },
  });
}
