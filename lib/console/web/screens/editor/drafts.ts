/** A create that was sent, and whose answer never came. Sent again with its key, it makes nothing twice. */
export interface PendingCreate {
  readonly key: string;
  readonly location: string;
  readonly text: string;
  readonly note: string;
}

/** What a person has written and not saved, as this browser keeps it. */
export interface Draft {
  /** The principal whose draft it is. No other account in this browser is shown it. */
  readonly owner: string;
  readonly workspace: string;
  /** The document's location. For a new document something that begins with a slash, as no location does. */
  readonly place: string;
  /** The version that the text changes; null for a new document. */
  readonly base: { readonly etag: string; readonly text: string } | null;
  /** The location that was typed for a new document. */
  readonly location: string;
  readonly text: string;
  readonly note: string;
  readonly pending: PendingCreate | null;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

/** Drafts kept at most. The one changed longest ago gives way. */
const maxDrafts = 100;
const storeName = 'drafts';

let opened: Promise<IDBDatabase> | undefined;

function openStore(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('cartulary-drafts', 1);
    request.addEventListener('upgradeneeded', () => {
      const store = request.result.createObjectStore(storeName, { keyPath: ['owner', 'workspace', 'place'] });
      store.createIndex('changedAt', 'changedAt');
    });
    request.addEventListener('success', () => {
      // Another tab may bring a newer form of the store; this one opens it again at its next use.
      request.result.addEventListener('versionchange', () => {
        request.result.close();
        opened = undefined;
      });
      resolve(request.result);
    });
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps no drafts.')));
  });
  opened.catch(() => {
    opened = undefined;
  });
  return opened;
}

/** Runs a request in a transaction of its own, committed at once: a page that is being left waits for nothing. */
async function run<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const database = await openStore();
  return new Promise<Result>((resolve, reject) => {
    const transaction = database.transaction(storeName, mode);
    const request = ask(transaction.objectStore(storeName));
    transaction.addEventListener('complete', () => resolve(request.result));
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The draft was not kept.')));
    transaction.commit();
  });
}

/** What was erased while this page was open, each as its workspace and location. */
const erased = new Set<string>();
const nameOf = (workspace: string, location: string): string => JSON.stringify([workspace, location]);

const isOf = ({ place, location, pending }: Draft, wanted: string): boolean =>
  [place, location, pending?.location].includes(wanted);

/** Has this page keep nothing more of a document, until it is loaded again. */
export function keepNoMoreOf(workspace: string, location: string): void {
  erased.add(nameOf(workspace, location));
}

/** Keeps a draft in place of the one before. @throws where the browser has no room or keeps nothing */
export async function keepDraft(draft: Draft): Promise<void> {
  if (erased.has(nameOf(draft.workspace, draft.place)) || erased.has(nameOf(draft.workspace, draft.location))) return;
  await run('readwrite', (store) => store.put(draft));
  await dropOldest();
}

export async function readDraft(owner: string, workspace: string, place: string): Promise<Draft | undefined> {
  return (await run<unknown>('readonly', (store) => store.get([owner, workspace, place]))) as Draft | undefined;
}

export async function dropDraft(owner: string, workspace: string, place: string): Promise<void> {
  await run('readwrite', (store) => store.delete([owner, workspace, place]));
}

/** The drafts of new documents that this person has not finished, the one changed last first. */
export async function listNewDrafts(owner: string, workspace: string): Promise<Draft[]> {
  const range = IDBKeyRange.bound([owner, workspace, '/'], [owner, workspace, '/\uffff']);
  const drafts = (await run<unknown[]>('readonly', (store) => store.getAll(range) as IDBRequest<unknown[]>)) as Draft[];
  return drafts.sort((one, other) => other.changedAt - one.changedAt);
}

/** Drops what anybody on this browser has written about a document, or under its name. */
export async function dropDraftsOf(workspace: string, location: string): Promise<void> {
  const drafts = (await run<unknown[]>('readonly', (store) => store.getAll() as IDBRequest<unknown[]>)) as Draft[];
  for (const draft of drafts) {
    if (draft.workspace === workspace && isOf(draft, location)) {
      await dropDraft(draft.owner, draft.workspace, draft.place);
    }
  }
}

async function dropOldest(): Promise<void> {
  const count = await run('readonly', (store) => store.count());
  if (count <= maxDrafts) return;
  const oldest = (await run<unknown[]>(
    'readonly',
    (store) => store.index('changedAt').getAll(null, count - maxDrafts) as IDBRequest<unknown[]>,
  )) as Draft[];
  for (const { owner, workspace, place } of oldest) await dropDraft(owner, workspace, place);
}
