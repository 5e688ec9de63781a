import { buffer } from 'node:stream/consumers';
import type { Caller } from '../../lib/domain/caller.js';
import { rootLocation, type Location } from '../../lib/domain/location.js';
import { Refusal } from '../../lib/domain/refusal.js';
import { hashObject } from '../../lib/git/objects/objects.js';
import { exportAudit } from '../../lib/operations/audit/audit-log.js';
import { listCredentials } from '../../lib/operations/credentials/list-credentials.js';
import { showPolicy } from '../../lib/operations/workspaces/change-policy.js';
import { compareVersions } from '../../lib/operations/history/compare-versions.js';
import { exportFolder } from '../../lib/operations/folders/export-folder.js';
import { listClaims } from '../../lib/operations/claims/list-claims.js';
import { listComments } from '../../lib/operations/comments/list-comments.js';
import { listDocuments } from '../../lib/operations/documents/list-documents.js';
import { listErasures } from '../../lib/operations/documents/list-erasures.js';
import { listFolders } from '../../lib/operations/folders/list-folders.js';
import { listGrants } from '../../lib/operations/grants/list-grants.js';
import { listHistory } from '../../lib/operations/history/list-history.js';
import { listMessages, readMessageThread } from '../../lib/operations/messages/list-messages.js';
import { listGroups, listPrincipals } from '../../lib/operations/principals/list-principals.js';
import { listReaders } from '../../lib/operations/grants/list-readers.js';
import { perform } from '../../lib/operations/perform.js';
import { readBrief } from '../../lib/operations/history/read-brief.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import {
  searchDocuments,
  type SearchInput,
  type SearchResults,
} from '../../lib/operations/documents/search-documents.js';
import type { SearchPosition } from '../../lib/search/ranking/search-position.js';
import { readPages } from '../../lib/commands/read-pages.js';
import type { Workspace } from '../../lib/workspace/workspace.js';
import { gather } from '../support/gather.js';
import { listOwnClaims } from '../support/store/list-own-claims.js';

type Ask = (question: string, work: () => Promise<{ readonly result: unknown }>) => void;

const queries = ['many words', 'imported', '"of many"', 'deep*', 'plan -first', 'nothing like it'];
const first = { after: '', limit: 200 };

/**
 * A workspace's answers to every question about its content, by the operator and by each principal. They hold all
 * folders, documents, older versions with their bytes, histories and differences, comments, claims, labels, readers,
 * messages, briefs and searches. They hold grants, people, keys and policy, receipts of erases, and the audit log.
 * @param until the last listed record of the log, since each question adds records
 */
export async function answersOf(workspace: Workspace, until: number): Promise<unknown[]> {
  const principals = workspace.journal.reader.principals.list();
  const callers = principals.map(({ id, kind }): Caller => {
    return { principalId: id, kind, credentialId: null, interface: 'command', requestId: 'req_compare' };
  });
  const threads = await threadsOf(workspace, callers);
  await workspace.searchCaughtUp();
  const answers: Promise<unknown>[] = [];
  for (const caller of callers) {
    const ask: Ask = (question, work) => void answers.push(answerTo([caller.principalId, question], work));
    askForFolders(workspace, caller, ask);
    askForDocuments(workspace, caller, ask);
    askForMessages(workspace, caller, threads, ask);
    askForSearches(workspace, caller, ask);
    askForTheRest(workspace, caller, ask, until);
  }
  return Promise.all(answers);
}

async function answerTo(question: readonly string[], work: () => Promise<{ readonly result: unknown }>) {
  try {
    return [...question, plain((await work()).result)];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [...question, error.code, error.message];
  }
}

function askForFolders(workspace: Workspace, caller: Caller, ask: Ask): void {
  for (const location of foldersOf(workspace)) {
    ask(`folders ${location}`, () => perform(workspace, caller, listFolders, { location, ...first }));
    ask(`documents ${location}`, () => perform(workspace, caller, listDocuments, { location, ...first }));
    ask(`claims ${location}`, () => perform(workspace, caller, listClaims, { location, ...first }));
    ask(`readers ${location}`, () => perform(workspace, caller, listReaders, { location, ...first }));
    ask(`messages about ${location}`, () =>
      perform(workspace, caller, listMessages, { box: 'inbox', about: location, ...first }),
    );
    ask(`export ${location}`, async () => {
      const { result } = await perform(workspace, caller, exportFolder, { location });
      const entries = (await gather(result.documents)).map(({ document }) => [document.location, document.current.id]);
      result.close();
      return { result: [result.commit, entries] };
    });
    ask(`grants ${location}`, () =>
      perform(workspace, caller, listGrants, { scopeType: 'folder', location, inherited: true, ...first }),
    );
  }
}

function askForDocuments(workspace: Workspace, caller: Caller, ask: Ask): void {
  for (const [location, versionId] of allVersions(workspace)) {
    ask(`read ${location} ${versionId}`, async () => {
      const input = { location, versionId, withContent: true };
      const { document, version, bytes, openStream } = (await perform(workspace, caller, readDocument, input)).result;
      const content = openStream === null ? bytes : await buffer(await openStream());
      return { result: [document, version, hashObject('blob', content ?? Buffer.alloc(0))] };
    });
    const ends = versionId === undefined ? {} : { fromVersionId: versionId };
    ask(`diff ${location} ${versionId}`, () =>
      perform(workspace, caller, compareVersions, {
        location,
        fromVersionId: undefined,
        toVersionId: undefined,
        ...ends,
      }),
    );
    if (versionId !== undefined) continue;
    ask(`history ${location}`, async () => ({
      result: await readPages(
        async (page) => (await perform(workspace, caller, listHistory, { location, ...page })).result,
      ),
    }));
    ask(`comments ${location}`, () => perform(workspace, caller, listComments, { location, which: 'all', ...first }));
    ask(`open comments ${location}`, () =>
      perform(workspace, caller, listComments, { location, which: 'open', ...first }),
    );
    ask(`readers ${location}`, () => perform(workspace, caller, listReaders, { location, ...first }));
    ask(`messages about ${location}`, () =>
      perform(workspace, caller, listMessages, { box: 'inbox', about: location, ...first }),
    );
    ask(`grants on ${location}`, () =>
      perform(workspace, caller, listGrants, { scopeType: 'document', location, inherited: true, ...first }),
    );
  }
}

function askForMessages(workspace: Workspace, caller: Caller, threads: readonly string[], ask: Ask): void {
  for (const box of boxes) {
    ask(`messages ${box}`, async () => ({
      result: await readPages(
        async ({ after }) => (await perform(workspace, caller, listMessages, { box, after, limit: 2 })).result,
      ),
    }));
  }
  for (const threadId of threads) {
    ask(`thread ${threadId}`, () => perform(workspace, caller, readMessageThread, { threadId, ...first }));
  }
}

/** Page by page, to the last. */
function askForSearches(workspace: Workspace, caller: Caller, ask: Ask): void {
  for (const query of queries) {
    for (const labels of [[], ['plan']]) {
      ask(`search ${query} ${labels.join(' ')}`, async () => {
        const pages: unknown[] = [];
        let position: SearchPosition | null = null;
        do {
          const input: SearchInput = { query, location: rootLocation, labels, limit: 2, position, withPlaces: true };
          const page: SearchResults = (await perform(workspace, caller, searchDocuments, input)).result;
          pages.push(page.hits);
          ({ position } = page);
        } while (position !== null);
        return { result: pages };
      });
    }
  }
}

function askForTheRest(workspace: Workspace, caller: Caller, ask: Ask, until: number): void {
  ask('principals', () => perform(workspace, caller, listPrincipals, { after: '', limit: 200 }));
  ask('groups', () => perform(workspace, caller, listGroups, { outermost: false, after: '', limit: 200 }));
  ask('keys', () => perform(workspace, caller, listCredentials, { after: '', limit: 200 }));
  ask('policy', () => perform(workspace, caller, showPolicy, {}));
  ask('own claims', () => perform(workspace, caller, listOwnClaims, { limit: 200 }));
  ask('erasures', () => perform(workspace, caller, listErasures, { after: '', limit: 200 }));
  for (const since of [undefined, 0]) {
    const input = { since, location: rootLocation, keepsMark: true, ...first };
    ask(`brief since ${since}`, () => perform(workspace, caller, readBrief, input));
  }
  ask('audit log', async () => {
    const { result } = await perform(workspace, caller, exportAudit, { withTexts: true });
    const records: unknown[] = [];
    for await (const line of result) if ('record' in line && line.record.seq <= until) records.push(line);
    return { result: records };
  });
}

const boxes = ['inbox', 'unread', 'sent'] as const;

/** All threads of messages of all principals. */
async function threadsOf(workspace: Workspace, callers: readonly Caller[]): Promise<string[]> {
  const found = new Set<string>();
  for (const caller of callers) {
    for (const box of boxes) {
      const { items } = (await perform(workspace, caller, listMessages, { box, ...first })).result;
      for (const { threadId } of items) found.add(threadId);
    }
  }
  return [...found].toSorted();
}

/** Bytes and functions in a comparable form. */
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
