import assert from 'node:assert/strict';
import type { Caller } from '../../../lib/domain/caller.js';
import type { Document } from '../../../lib/domain/document.js';
import { parseFolderLocation, parseLocation } from '../../../lib/domain/location.js';
import type { Code } from '../../../lib/domain/code.js';
import { Refusal } from '../../../lib/domain/refusal.js';
import { createDocument } from '../../../lib/operations/documents/create-document.js';
import { createFolder } from '../../../lib/operations/folders/create-folder.js';
import { deleteDocument } from '../../../lib/operations/documents/delete-document.js';
import { listDocuments } from '../../../lib/operations/documents/list-documents.js';
import { listFolders } from '../../../lib/operations/folders/list-folders.js';
import { perform } from '../../../lib/operations/perform.js';
import { readDocument } from '../../../lib/operations/documents/read-document.js';
import { move, rename } from '../../../lib/operations/folders/relocate.js';
import { undeleteDocument } from '../../../lib/operations/documents/undelete-document.js';
import { updateDocument } from '../../../lib/operations/documents/update-document.js';
import type { Workspace } from '../../../lib/workspace/workspace.js';
import { parsePrecondition } from '../../../lib/api/requests/parse-precondition.js';

/** One principal's short calls: every operation on documents in a line, through `perform`, without a face. */
export class Actor {
  readonly workspace: Workspace;
  readonly caller: Caller;

  constructor(workspace: Workspace, principalId: string, requestId = 'req_test') {
    this.workspace = workspace;
    this.caller = { principalId, kind: 'person', credentialId: null, interface: 'rest', requestId };
  }

  async create(location: string, text = 'text', retryKey?: string): Promise<Document> {
    const { result } = await perform(
      this.workspace,
      this.caller,
      createDocument,
      { location: parseLocation(location), content: { bytes: Buffer.from(text) }, labels: [], message: null },
      retryKey === undefined ? undefined : { key: retryKey, fingerprint: Buffer.alloc(32, text) },
    );
    return result;
  }

  async update(location: string, text: string, ifMatch = '*'): Promise<Document> {
    const { result } = await perform(this.workspace, this.caller, updateDocument, {
      location: parseLocation(location),
      precondition: parsePrecondition(ifMatch, 'If-Match'),
      content: { bytes: Buffer.from(text) },
      message: null,
    });
    return result;
  }

  async delete(location: string, ifMatch = '*'): Promise<void> {
    await perform(this.workspace, this.caller, deleteDocument, {
      location: parseLocation(location),
      precondition: parsePrecondition(ifMatch, 'If-Match'),
    });
  }

  async undelete(location: string): Promise<Document> {
    return (await perform(this.workspace, this.caller, undeleteDocument, { location: parseLocation(location) })).result;
  }

  async createFolder(location: string): Promise<void> {
    await perform(this.workspace, this.caller, createFolder, { location: parseLocation(location) });
  }

  async rename(location: string, name: string, acknowledged = false, report?: string) {
    const input = { location: parseLocation(location), name, acknowledged, report };
    return (await perform(this.workspace, this.caller, rename, input)).result;
  }

  async move(location: string, toFolder: string, acknowledged = false, report?: string) {
    const input = { location: parseLocation(location), toFolder: parseFolderLocation(toFolder), acknowledged, report };
    return (await perform(this.workspace, this.caller, move, input)).result;
  }

  /** @returns the text of any version */
  async read(location: string, versionId?: string): Promise<string> {
    const input = { location: parseLocation(location), versionId, withContent: true };
    const { result } = await perform(this.workspace, this.caller, readDocument, input);
    return (result.bytes ?? Buffer.alloc(0)).toString();
  }

  /** @returns the names of documents and, with a slash behind them, of folders */
  async list(folder = ''): Promise<string[]> {
    const input = { location: parseFolderLocation(folder), after: '', limit: 200 };
    const folders = (await perform(this.workspace, this.caller, listFolders, input)).result.items;
    const documents = (await perform(this.workspace, this.caller, listDocuments, input)).result.items;
    return [...folders.map((item) => `${item.name}/`), ...documents.map((item) => item.name)];
  }
}

/** The refusal of the work, as `CODE` or `CODE reason`; `done` when it is not refused. */
export async function outcomeOf(work: Promise<unknown>): Promise<Code | `${Code} ${string}` | 'done'> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.details === undefined ? error.code : `${error.code} ${error.details.reason}`;
  }
}

/** @returns what the work was refused with */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error;
  }
  return assert.fail('It was not refused.');
}
