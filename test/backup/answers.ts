import { buffer } from 'node:stream/consumers';
import type { Caller } from '../../lib/domain/caller.js';
import { rootLocation, type Location } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { hashObject } from '../../lib/git/objects.js';
import { listCredentials } from '../../lib/operations/change-credential.js';
import { showPolicy } from '../../lib/operations/change-policy.js';
import { exportFolder } from '../../lib/operations/export-folder.js';
import { listDocuments } from '../../lib/operations/list-documents.js';
import { listFolders } from '../../lib/operations/list-folders.js';
import { listGrants } from '../../lib/operations/list-grants.js';
import { listGroups, listPrincipals } from '../../lib/operations/list-principals.js';
import { perform } from '../../lib/operations/perform.js';
import { readDocument } from '../../lib/operations/read-document.js';
import type { Workspace } from '../../lib/workspace/workspace.js';

/**
 * What a workspace answers to every question that can be asked about what is in it, by the operator and by each
 * principal: all folders, documents, older versions with their bytes, grants, people, keys and policy.
 */
export async function answersOf(workspace: Workspace): Promise<unknown[]> {
  const answers: unknown[] = [];
  const principals = workspace.journal.reader.principals.list();
  const versions = allVersions(workspace);
  for (const principal of principals) {
    const caller: Caller = {
      principalId: principal.id,
      kind: principal.kind,
      credentialId: null,
      interface: 'command',
      requestId: 'req_compare',
    };
    const ask = async (question: string, work: () => Promise<{ readonly result: unknown }>): Promise<void> => {
      try {
        answers.push([principal.id, question, plain((await work()).result)]);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        answers.push([principal.id, question, error.code, error.message]);
      }
    };
    const list = { after: '', limit: 200 };
    for (const location of foldersOf(workspace)) {
      await ask(`folders ${location}`, () => perform(workspace, caller, listFolders, { location, ...list }));
      await ask(`documents ${location}`, () => perform(workspace, caller, listDocuments, { location, ...list }));
      await ask(`export ${location}`, async () => {
        const { result } = await perform(workspace, caller, exportFolder, { location });
        const entries = [...result.documents].map(({ document }) => [document.location, document.current.id]);
        result.close();
        return { result: [result.commit, entries] };
      });
      await ask(`grants ${location}`, () =>
        perform(workspace, caller, listGrants, { scopeType: 'folder', location, inherited: true, ...list }),
      );
    }
    for (const [location, versionId] of versions) {
      await ask(`read ${location} ${versionId}`, async () => {
        const input = { location, versionId, withContent: true };
        const { document, version, bytes, openStream } = (await perform(workspace, caller, readDocument, input)).result;
        const content = openStream === null ? bytes : await buffer(await openStream());
        return { result: [document, version, hashObject('blob', content ?? Buffer.alloc(0))] };
      });
    }
    await ask('principals', () => perform(workspace, caller, listPrincipals, {}));
    await ask('groups', () => perform(workspace, caller, listGroups, {}));
    await ask('keys', () => perform(workspace, caller, listCredentials, {}));
    await ask('policy', () => perform(workspace, caller, showPolicy, {}));
  }
  return answers;
}

/** Bytes and functions in a form that can be compared. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

function foldersOf(workspace: Workspace): Location[] {
  const { folders } = workspace.journal.reader;
  const found: Location[] = [rootLocation];
  const open: [number, string][] = [[1, '']];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const child of folders.children(at[0], '', 1000)) {
      const path = at[1] === '' ? child.name : `${at[1]}/${child.name}`;
      found.push(path as Location);
      open.push([child.number, path]);
    }
  }
  return found;
}

function allVersions(workspace: Workspace): [Location, string | undefined][] {
  const { documents, versions } = workspace.journal.reader;
  const found: [Location, string | undefined][] = [];
  for (const row of documents.afterNumber(0, 10_000)) {
    const { location } = row.current;
    found.push([location, undefined]);
    for (const { id } of versions.before(row.number, row.current.sequence + 1, 1000)) found.push([location, id]);
  }
  return found;
}
