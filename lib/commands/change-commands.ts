import { changeKinds, type ChangeKind } from '../domain/change.js';
import { notFound } from '../domain/refusal.js';
import { readChanges, type FeedRead, type ReadFeedInput } from '../operations/feed/read-feed-pages.js';
import { toChangeRecord } from '../records/change-record.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, type Fields } from './fields.js';

const limit = 200;

/** The kinds with commas between them; null for all. @throws Refusal INVALID_REQUEST `bad_field` */
function readKinds(fields: Fields): ReadonlySet<ChangeKind> | null {
  const text = fields.optionalText('kind');
  if (text === undefined) return null;
  const isKind = (each: string): each is ChangeKind => changeKinds.some((kind) => kind === each);
  const kinds = text.split(',');
  if (!kinds.every(isKind)) throw badField('kind', `must be one or more of ${changeKinds.join(', ')}`);
  return new Set(kinds);
}

/** Hands over page after page, until everything up to now is sent. @returns how many changes there were */
async function listAll(context: WorkspaceContext, input: ReadFeedInput): Promise<number> {
  let told = 0;
  for (let { after } = input; ;) {
    context.signal.throwIfAborted();
    const { page }: FeedRead = await context.perform(readChanges, { ...input, after });
    told += page.items.length;
    if (page.items.length > 0) await context.onProgress({ changes: page.items.map(toChangeRecord) });
    if (page.isCurrent) return told;
    after = page.next;
  }
}

/** Hands over what comes, until the caller leaves or the server stops. @throws Refusal NOT_FOUND */
async function follow(context: WorkspaceContext, input: ReadFeedInput): Promise<number> {
  const { stream } = await context.perform(readChanges, { ...input, form: 'stream' });
  let told = 0;
  for await (const item of stream?.open() ?? []) {
    if (item === 'gone') throw notFound();
    if (item === 'beat') continue;
    told += item.items.length;
    await context.onProgress({ changes: item.items.map(toChangeRecord) });
  }
  return told;
}

export const changeCommands: Readonly<Record<string, Command>> = {
  'changes.list': inWorkspace(async (context, fields) => {
    const isFollowing = fields.flag('follow');
    if (isFollowing && context.server === null) {
      throw badField('follow', 'needs a running server: without one nothing changes. Start it with `cartulary serve`');
    }
    const input: ReadFeedInput = {
      location: fields.folderOrRoot('location'),
      kinds: readKinds(fields),
      after: fields.flag('since_now') ? null : '',
      limit,
      wait: 0,
      form: 'page',
      standAside: () => context.signal,
      departure: () => context.signal,
    };
    return { told: await (isFollowing ? follow(context, input) : listAll(context, input)) };
  }, 'There is no such document or folder.'),
};
