import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { parseLocation, rootLocation, type Location } from '../../lib/domain/location.js';
import type { Role } from '../../lib/domain/role.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { operator } from '../support/store/service.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

/** A data folder with documents, and a key that may edit them all. */
export interface Seeded {
  readonly dataFolder: string;
  readonly key: string;
  readonly locations: readonly Location[];
  remove(): Promise<void>;
}

const batch = 250;
const together = 64;

/** The place of the n-th document: in folders of so many, all below one folder if it is named. */
export function placeOf(number: number, perFolder: number, below: string): Location {
  const prefix = below === '' ? '' : `${below}/`;
  return parseLocation(`${prefix}folder-${Math.floor(number / perFolder)}/document-${number % perFolder}.md`);
}

/** Text that differs from document to document, of about so many bytes. */
export function textOf(number: number, bytes: number): string {
  const line = `Document ${number} says that clause ${number % 97} of charter ${number % 31} holds.\n`;
  return line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

export async function seed(
  count: number,
  options: { bytes?: number; perFolder?: number; below?: string; text?: (number: number) => string } = {},
): Promise<Seeded> {
  const { bytes = 4096, perFolder = 100, below = '' } = options;
  const text = options.text ?? ((number: number) => textOf(number, bytes));
  const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-bench-'));
  const service = await openService(dataFolder);
  const workspace = await service.addWorkspace('acme');
  const key = await makeEditor(workspace);
  const locations = Array.from({ length: count }, (_, number) => placeOf(number, perFolder, below));
  for (let start = 0; start < count; start += batch) {
    const files = locations
      .slice(start, start + batch)
      .map((location, index) => ({ location, content: { bytes: Buffer.from(text(start + index)) } }));
    await perform(workspace, operator, importDocuments, { into: rootLocation, files, message: null });
  }
  await workspace.search.settled();
  await service.close();
  return { dataFolder, key, locations, remove: () => rm(dataFolder, { recursive: true, force: true }) };
}

/** Writes so many versions of 1 kB, each to the document with the given number, in groups like real writers. */
export async function writeVersions(
  { dataFolder, locations }: Seeded,
  count: number,
  chooseDocument: (version: number) => number,
): Promise<void> {
  const service = await openService(dataFolder);
  const workspace = service.find('acme');
  if (workspace === undefined) throw new Error('The seeded workspace is not there.');
  let next = 0;
  const write = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) {
      const location = locations[chooseDocument(number)];
      if (location === undefined) throw new Error('There is no such document.');
      await perform(workspace, operator, updateDocument, {
        location,
        precondition: parsePrecondition('*', 'If-Match'),
        content: { bytes: Buffer.from(textOf(number, 1024)) },
        message: null,
      });
    }
  };
  await Promise.all(Array.from({ length: together }, write));
  await workspace.search.settled();
  await service.close();
}

function openService(dataFolder: string): Promise<Service> {
  return Service.open({
    dataFolder,
    git: 'auto',
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault: (what, cause) => console.error(what, cause),
  });
}

async function makeEditor(workspace: Workspace): Promise<string> {
  await perform(workspace, operator, changePolicy, { requestsPerMinute: 1e9, burst: 1e9 });
  return makeKey(workspace, 'editor', [rootLocation]);
}

/** Keys of more principals, who may read these folders. */
export async function addReaders(
  { dataFolder }: Seeded,
  count: number,
  folders: readonly string[],
): Promise<readonly string[]> {
  const service = await openService(dataFolder);
  const workspace = service.find('acme');
  if (workspace === undefined) throw new Error('The seeded workspace is not there.');
  const keys: string[] = [];
  for (let made = 0; made < count; made += 1)
    keys.push(
      await makeKey(
        workspace,
        'reader',
        folders.map((folder) => parseLocation(folder)),
      ),
    );
  await service.close();
  return keys;
}

async function makeKey(workspace: Workspace, role: Role, folders: readonly Location[]): Promise<string> {
  const { result: agent } = await perform(workspace, operator, addPrincipal, { displayName: role, kind: 'agent' });
  const subject = { type: 'principal', id: agent.id } as const;
  for (const location of folders) {
    await perform(workspace, operator, createGrant, { scopeType: 'folder', location, subject, role });
  }
  const { result: minted } = await perform(workspace, operator, mintCredential, {
    principalId: agent.id,
    name: 'bench',
    interfaces: ['rest', 'mcp', 'git'],
    requestsPerMinute: null,
  });
  return minted.secret ?? '';
}
