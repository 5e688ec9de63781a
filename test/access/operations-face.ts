import type { Readable } from 'node:stream';
import { parseFolderLocation, parseLocation } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { createGrant, revokeGrant } from '../../lib/operations/grants/change-grant.js';
import { addComment } from '../../lib/operations/comments/add-comment.js';
import { breakClaim } from '../../lib/operations/claims/break-claim.js';
import { releaseClaimAt } from '../../lib/operations/claims/release-claim.js';
import { takeClaim } from '../../lib/operations/claims/take-claim.js';
import { addLabels } from '../../lib/operations/documents/change-labels.js';
import { compareVersions } from '../../lib/operations/history/compare-versions.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { createFolder } from '../../lib/operations/folders/create-folder.js';
import { deleteDocument } from '../../lib/operations/documents/delete-document.js';
import { deleteFolder } from '../../lib/operations/folders/delete-folder.js';
import { undeleteFolder } from '../../lib/operations/folders/undelete-folder.js';
import { exportFolder } from '../../lib/operations/folders/export-folder.js';
import { listClaims } from '../../lib/operations/claims/list-claims.js';
import { listComments } from '../../lib/operations/comments/list-comments.js';
import { listDocuments } from '../../lib/operations/documents/list-documents.js';
import { browseFolder, type EntryOrder } from '../../lib/operations/folders/browse-folder.js';
import { listFolders } from '../../lib/operations/folders/list-folders.js';
import { listGrants } from '../../lib/operations/grants/list-grants.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { listMessages } from '../../lib/operations/messages/list-messages.js';
import { listReaders } from '../../lib/operations/grants/list-readers.js';
import type { Operation } from '../../lib/operations/operation.js';
import { perform } from '../../lib/operations/perform.js';
import { readBrief } from '../../lib/operations/history/read-brief.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { listTrash } from '../../lib/operations/documents/list-trash.js';
import { move, rename } from '../../lib/operations/folders/relocate.js';
import { restoreVersion } from '../../lib/operations/documents/restore-version.js';
import { previewRevert, revertChanges } from '../../lib/operations/history/revert-changes.js';
import {
  searchDocuments,
  type SearchInput,
  type SearchResults,
} from '../../lib/operations/documents/search-documents.js';
import { searchLines, type LineResults, type SearchLinesInput } from '../../lib/operations/documents/search-lines.js';
import { sendMessage } from '../../lib/operations/messages/send-message.js';
import { undeleteDocument } from '../../lib/operations/documents/undelete-document.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import type { Actor } from '../support/store/actor.js';
import { sortBySubject } from '../support/model/canonicalize-answers.js';
import type { Face, Question } from '../support/model/face.js';
import { parsePrecondition } from '../../lib/api/requests/parse-precondition.js';

/** Asks the operations themselves. */
export class OperationsFace implements Face {
  readonly #actor: Actor;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  async ask(question: Question): Promise<string> {
    try {
      return sortBySubject(JSON.stringify(await this.#ask(question), withoutInnerKeys));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { code, message, details, retryAfter } = error;
      return sortBySubject(JSON.stringify({ code, message, details, retryAfter }));
    }
  }

  async #ask(question: Question): Promise<unknown> {
    const content = { bytes: Buffer.from('text') };
    switch (question.does) {
      case 'read':
      case 'read-version': {
        const versionId = 'version' in question ? question.version : undefined;
        const input = { location: parseLocation(question.path), versionId, withContent: true };
        const read = await this.#perform(readDocument, input);
        return { ...read, bytes: read.bytes?.toString() };
      }
      case 'create': {
        const input = { location: parseLocation(question.path), content, labels: [], message: null };
        return this.#perform(createDocument, input);
      }
      case 'update':
      case 'delete': {
        const precondition = parsePrecondition(question.ifMatch, 'If-Match');
        const input = { location: parseLocation(question.path), precondition };
        if (question.does === 'delete') return this.#perform(deleteDocument, input);
        return this.#perform(updateDocument, { ...input, content, message: null });
      }
      case 'undelete':
        return this.#perform(undeleteDocument, { location: parseLocation(question.path) });
      case 'create-folder':
        return this.#perform(createFolder, { location: parseLocation(question.path) });
      case 'rename':
        return this.#perform(rename, { ...question, location: parseLocation(question.path) });
      case 'move': {
        const toFolder = parseFolderLocation(question.folder);
        return this.#perform(move, { ...question, location: parseLocation(question.path), toFolder });
      }
      case 'list':
        return this.#pages((after) => this.#perform(listDocuments, { ...this.#page(question), after }));
      case 'list-folders':
        return this.#pages((after) => this.#perform(listFolders, { ...this.#page(question), after }));
      case 'browse': {
        const { location, limit } = this.#page(question);
        const browse = (order: EntryOrder) =>
          this.#pages((after) => this.#perform(browseFolder, { location: location || null, order, limit, after }));
        return [await browse('name'), await browse('name-down'), await browse('newest'), await browse('oldest')];
      }
      case 'trash': {
        const { location, limit } = this.#page(question);
        const pages = await this.#pages((after) =>
          this.#perform(listTrash, { folder: location || null, limit, after }),
        );
        // A position is sealed by the face. Its numbers depend on everything in the workspace, its length does not.
        return pages.map((page) => ({ ...page, next: page.next?.length }));
      }
      case 'export': {
        const exported = await this.#perform(exportFolder, { location: parseFolderLocation(question.folder) });
        const documents: unknown[] = [];
        for await (const { document, open } of exported.documents) {
          documents.push([document, (await readAll(await open())).toString()]);
        }
        exported.close();
        return { ...exported, documents };
      }
      case 'search':
        return [
          await this.#searchPages(question.query, parseFolderLocation(question.folder), question.limit),
          await this.#linePages(question.query, parseFolderLocation(question.folder), question.limit),
        ];
      case 'history':
      case 'comments': {
        const input = { location: parseLocation(question.path), limit: question.limit };
        return question.does === 'history'
          ? this.#pages((after) => this.#perform(listHistory, { ...input, after }))
          : this.#pages((after) => this.#perform(listComments, { ...input, which: 'all', after }));
      }
      case 'diff':
        return this.#perform(compareVersions, { location: parseLocation(question.path) });
      case 'labels':
        return this.#perform(addLabels, { location: parseLocation(question.path), labels: ['label'] });
      case 'claims':
        return this.#pages((after) => this.#perform(listClaims, { ...this.#page(question), after }));
      case 'claim':
        return this.#perform(takeClaim, { location: parseLocation(question.path), purpose: 'work' });
      case 'comment':
        return this.#perform(addComment, { location: parseLocation(question.path), text: 'why?', mentions: [] });
      case 'comment-on-passage': {
        const input = { location: parseLocation(question.path), text: 'why?', mentions: [question.mention] };
        return this.#perform(addComment, { ...input, passage: { quote: 'content' } });
      }
      case 'restore': {
        const input = { location: parseLocation(question.path), message: null, precondition: { any: true } as const };
        const { items } = await this.#perform(listHistory, { location: input.location, after: '', limit: 50 });
        const first = items.findLast((entry) => entry.type === 'version');
        return this.#perform(restoreVersion, { ...input, versionId: first?.version.id ?? '' });
      }
      case 'break-claim': {
        const location = parseLocation(question.path);
        const { items } = await this.#perform(listClaims, { location, after: '', limit: 1 });
        return this.#perform(breakClaim, { location, claimId: items[0]?.id ?? 'clm_none' });
      }
      case 'delete-folder':
        return this.#perform(deleteFolder, { location: parseFolderLocation(question.folder) });
      case 'undelete-folder':
        return this.#perform(undeleteFolder, { location: parseFolderLocation(question.folder) });
      case 'preview-revert': {
        const input = { location: parseFolderLocation(question.folder), principalId: question.principal, since: 0 };
        return this.#perform(previewRevert, input);
      }
      case 'revert': {
        const input = { location: parseFolderLocation(question.folder), principalId: question.principal, since: 0 };
        const { digest } = await this.#perform(previewRevert, input);
        return this.#perform(revertChanges, { ...input, preview: digest, message: null });
      }
      case 'readers': {
        const input = { location: parseLocation(question.path), limit: question.limit };
        return this.#pages((after) => this.#perform(listReaders, { ...input, after }));
      }
      case 'claim-and-release': {
        const location = parseLocation(question.path);
        const taken = await this.#perform(takeClaim, { location });
        return [taken, await this.#perform(releaseClaimAt, { location, section: undefined })];
      }
      case 'release':
        return this.#perform(releaseClaimAt, { location: parseLocation(question.path), section: undefined });
      case 'brief': {
        const since = question.since === undefined ? undefined : this.#actor.workspace.clock.now() - question.since;
        const input = { ...this.#page(question), keepsMark: false };
        return this.#pages((after) =>
          this.#perform(readBrief, { ...input, after, since: after === '' ? since : undefined }),
        );
      }
      case 'send': {
        const about = question.about === undefined ? undefined : parseLocation(question.about);
        return this.#perform(sendMessage, { to: question.to, subject: 'Hello', body: 'some words', about });
      }
      case 'mail': {
        const about = question.about === undefined ? undefined : parseFolderLocation(question.about);
        const { box, limit } = question;
        return this.#pages((after) => this.#perform(listMessages, { box, about, limit, after }));
      }
      case 'resource':
      case 'resources':
        return 'not an operation';
      case 'list-grants': {
        const scope = { scopeType: question.scope, location: parseFolderLocation(question.path) };
        return this.#perform(listGrants, { ...scope, inherited: true, after: '', limit: 50 });
      }
      case 'grant':
      case 'revoke': {
        const { subject, role } = question;
        const input = { scopeType: question.scope, location: parseFolderLocation(question.path), subject, role };
        return question.does === 'grant' ? this.#perform(createGrant, input) : this.#perform(revokeGrant, input);
      }
    }
  }

  async #perform<Input, Result, Prepared>(
    operation: Operation<Input, Result, Prepared>,
    input: Input,
  ): Promise<Result> {
    return (await perform(this.#actor.workspace, this.#actor.caller, operation, input)).result;
  }

  #page({ folder, limit }: { readonly folder: string; readonly limit: number }) {
    return { location: parseFolderLocation(folder), limit };
  }

  async #searchPages(query: string, location: SearchInput['location'], limit: number): Promise<unknown[]> {
    const pages: unknown[] = [];
    let position: SearchInput['position'] = null;
    do {
      const found: SearchResults = await this.#perform(searchDocuments, {
        query,
        location,
        limit,
        position,
        labels: [],
      });
      pages.push(found.hits);
      ({ position } = found);
    } while (position !== null);
    return pages;
  }

  async #linePages(query: string, location: SearchLinesInput['location'], limit: number): Promise<unknown[]> {
    const pages: unknown[] = [];
    let position: SearchLinesInput['position'] = null;
    do {
      const asked = { query, match: 'exact', location, labels: [], context: 1, limit, position } as const;
      const found: LineResults = await this.#perform(searchLines, asked);
      pages.push(found.items);
      ({ position } = found);
    } while (position !== null);
    return pages;
  }

  async #pages<Page extends { readonly next: string | null }>(read: (after: string) => Promise<Page>): Promise<Page[]> {
    const pages: Page[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page: Page = await read(after);
      pages.push(page);
      after = page.next;
    }
    return pages;
  }
}

async function readAll(content: Buffer | Readable): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/**
 * Parts of results for the service's own use, which no face shows: numbers of rows, and the position of the history.
 * Every face seals positions made of such numbers, so they show only their length.
 */
function withoutInnerKeys(key: string, value: unknown): unknown {
  const isPosition = key === 'position' || (key === 'next' && /^(?:\d{16}|[0-9a-z]{74}$)/.test(String(value)));
  if (isPosition && typeof value === 'string') return `position of ${value.length}`;
  const isInner = key === 'number' || key === 'documentNumber' || key === 'commit';
  // Whether a content lies in memory at this moment. This decides how it is sent, and not its bytes.
  return isInner || key === 'isHeld' ? undefined : value;
}
