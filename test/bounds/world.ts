import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { parseFolderLocation, parseLocation, rootLocation } from '../../lib/domain/location.js';
import type { Role } from '../../lib/domain/role.js';
import { addComment } from '../../lib/operations/comments/add-comment.js';
import { addPrincipal } from '../../lib/operations/principals/add-principal.js';
import { mintCredential } from '../../lib/operations/credentials/change-credential.js';
import { issueLink } from '../../lib/operations/principals/manage-sign-in.js';
import { createGrant } from '../../lib/operations/grants/change-grant.js';
import { changePolicy } from '../../lib/operations/workspaces/change-policy.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import type { Operation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { operator } from '../support/store/service.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

/** A data folder with the largest possible answer to each request, within the time that a test can wait for. */
export interface LargeWorld {
  readonly dataFolder: string;
  readonly keys: Readonly<Record<'nobody' | Role, string>>;
  /** An admin's cookie, and their id. */
  readonly admin: { readonly id: string; readonly cookie: string };
  /** The id of the writer of it all. */
  readonly writerId: string;
  remove(): Promise<void>;
}

export const mebibyte = 1024 * 1024;
/** Documents in the folder `many`, and in each folder in it. */
const manyDocuments = 2000;
const perFolder = 500;
/** Items of a page, at most. */
const page = 200;

const fill = (unit: string, bytes: number): string => unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);

/** Texts that cost more than their length suggests. */
export const texts: Readonly<Record<string, string>> = {
  'long/words.md': fill('Whoever travels books a train where the journey takes less than four hours.\n', 10 * mebibyte),
  'long/controls.txt': fill('\u0001', 10 * mebibyte),
  'large/controls.txt': fill('\u0001', mebibyte),
  'large/headings.md': fill('# a\n', mebibyte),
  'large/lists.md': fill('- a\n  - b\n', mebibyte - 10_000),
  'large/letters.txt': fill('a', mebibyte),
  'written.txt': 'written over',
  'written.md': 'written over',
};

/** Makes it. Takes some seconds, less where only the long texts are wanted. */
export async function makeLargeWorld(wanted: 'all' | 'texts' = 'all'): Promise<LargeWorld> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'cartulary-bounds-'));
  const service = await Service.open({
    dataFolder,
    git: 'auto',
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault: (what, cause) => console.error(what, cause),
  });
  try {
    const maker = new Maker(await service.addWorkspace('acme'));
    await maker.act(changePolicy, { requestsPerMinute: 1e9, burst: 1e9 });
    const writerId = await maker.principal('Writer');
    const keys = {
      nobody: await maker.key(await maker.principal('Nobody')),
      reader: await maker.key(await maker.principal('Reader', 'reader')),
      editor: await maker.key(await maker.principal('Editor', 'editor')),
      approver: await maker.key(await maker.principal('Approver', 'approver')),
    };
    const id = await maker.principal('Admin', 'approver', 'person');
    const admin = { id, cookie: `cartulary=${await maker.signIn(service, id)}` };
    await maker.fill(wanted);
    return { dataFolder, keys, admin, writerId, remove: () => rm(dataFolder, { recursive: true, force: true }) };
  } finally {
    await service.close();
  }
}

class Maker {
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  async act<Input, Result, Prepared>(operation: Operation<Input, Result, Prepared>, input: Input): Promise<Result> {
    return (await perform(this.#workspace, operator, operation, input)).result;
  }

  async principal(displayName: string, role?: Role, kind: 'person' | 'agent' = 'agent'): Promise<string> {
    const { id } = await this.act(addPrincipal, { displayName, kind });
    if (role !== undefined) await this.#grant(id, role, '');
    return id;
  }

  async #grant(id: string, role: Role, folder: string): Promise<void> {
    const subject = { type: 'principal', id } as const;
    await this.act(createGrant, { scopeType: 'folder', location: parseFolderLocation(folder), subject, role });
  }

  /** @returns the secret of a session */
  async signIn({ people }: Service, principalId: string): Promise<string> {
    const { secret } = await this.act(issueLink, { principalId, signInName: 'admin' });
    const identityId = people.links.look(secret)?.id ?? '';
    return people.sessions.begin({ identityId, method: 'password', browser: 'Test', address: '127.0.0.1' }).secret;
  }

  async key(principalId: string): Promise<string> {
    const minted = await this.act(mintCredential, {
      principalId,
      name: 'bounds',
      interfaces: ['rest', 'mcp', 'git'],
      requestsPerMinute: null,
    });
    return minted.secret ?? '';
  }

  async fill(wanted: 'all' | 'texts'): Promise<void> {
    for (const [location, text] of Object.entries(texts)) await this.#create(location, text);
    if (wanted === 'texts') return;
    await this.#fillFolder();
    await this.#fillPage();
    await this.#fillHistory();
    await this.#fillThreads();
    await this.#fillDiff();
    for (let n = 0; n < page; n += 1) await this.#grant(await this.principal(`Reader ${n}`), 'reader', 'shared');
    await this.#workspace.search.settled();
  }

  async #create(location: string, text: string, labels: readonly string[] = []): Promise<void> {
    await this.act(createDocument, {
      location: parseLocation(location),
      content: { bytes: Buffer.from(text) },
      mediaType: undefined,
      labels: [...labels],
      message: 'm'.repeat(1000),
    });
  }

  async #fillFolder(): Promise<void> {
    for (let start = 0; start < manyDocuments; start += perFolder) {
      const files = Array.from({ length: perFolder }, (_, index) => ({
        location: parseLocation(`many/${start}/document-${index}.md`),
        content: { bytes: Buffer.from(`Document ${start + index} of many.\n`) },
      }));
      await this.act(importDocuments, { into: rootLocation, files, message: null });
    }
  }

  /** A page of the longest records: locations, labels and messages at their bounds. */
  async #fillPage(): Promise<void> {
    const folder = Array.from({ length: 3 }, () => 'x'.repeat(200)).join('/');
    const labels = Array.from({ length: 50 }, (_, n) => `${n}`.padEnd(100, 'l'));
    const names = Array.from({ length: page }, (_, n) => `page/${folder}/${String(n).padStart(200, 'n')}.md`);
    await Promise.all(names.map((name) => this.#create(name, 'page\n', labels)));
  }

  async #fillHistory(): Promise<void> {
    await this.#create('history.md', 'first\n');
    for (let n = 0; n < page; n += 1) {
      await this.act(updateDocument, {
        location: parseLocation('history.md'),
        precondition: parsePrecondition('*', 'If-Match'),
        content: { bytes: Buffer.from(`version ${n}\n`) },
        mediaType: undefined,
        message: 'm'.repeat(1000),
      });
    }
  }

  /** Two versions of many lines, each line changed; and a long text with a change at its end. */
  async #fillDiff(): Promise<void> {
    await this.act(updateDocument, {
      location: parseLocation('long/words.md'),
      precondition: parsePrecondition('*', 'If-Match'),
      content: { bytes: Buffer.from(`${texts['long/words.md']?.slice(0, -5) ?? ''}End.\n`) },
      mediaType: undefined,
      message: null,
    });
    const lines = (word: string): string => Array.from({ length: 20_000 }, (_, n) => `${word} ${n}\n`).join('');
    await this.#create('changed.md', lines('before'));
    await this.act(updateDocument, {
      location: parseLocation('changed.md'),
      precondition: parsePrecondition('*', 'If-Match'),
      content: { bytes: Buffer.from(lines('after')) },
      mediaType: undefined,
      message: null,
    });
  }

  /** Threads whose quotes are gone from a text that nearly has them. */
  async #fillThreads(): Promise<void> {
    const quote = `${'a'.repeat(999)}b`;
    const location = parseLocation('quoted.txt');
    await this.#create('quoted.txt', `${'a'.repeat(mebibyte - 1000)}${quote}`);
    await Promise.all(
      Array.from({ length: page }, () =>
        this.act(addComment, {
          location,
          text: 'c'.repeat(8000),
          passage: { quote, start: mebibyte - 1000 },
          mentions: [],
        }),
      ),
    );
    await this.act(updateDocument, {
      location,
      precondition: parsePrecondition('*', 'If-Match'),
      content: { bytes: Buffer.from('a'.repeat(mebibyte)) },
      mediaType: undefined,
      message: null,
    });
  }
}
