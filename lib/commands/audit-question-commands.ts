import { setTimeout as pause } from 'node:timers/promises';
import { actionKinds, findNearActions } from '../audit/actions.js';
import type { AuditEntry } from '../domain/audit-entry.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { formatTime } from '../domain/clock.js';
import type { Page } from '../domain/page.js';
import { listAudit, type ListAuditInput } from '../operations/audit/list-audit.js';
import { followAudit } from '../operations/audit/follow-audit.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parsePastTime, type Fields } from './fields.js';
import { readPrincipalOrNone } from './read-subject.js';

const usualLimit = 100;
const pageSize = 1000;
/** Records handed over at once. */
const batch = 200;
/** Milliseconds between two looks for new records. */
const interval = 500;

type Question = Omit<ListAuditInput, 'after' | 'limit'>;

/** The question of `audit list`. Times are RFC 3339, or how long ago. A principal has an id, a name or an address. */
async function readQuestion(context: WorkspaceContext, fields: Fields): Promise<Question> {
  const now = context.host.clock.now();
  const outcome = fields.optionalText('outcome');
  if (outcome !== undefined && !isOutcome(outcome)) throw badField('outcome', 'must be done or refused');
  const from = readTime(fields, 'from', now);
  const to = readTime(fields, 'to', now);
  return {
    location: fields.optionalText('location') === undefined ? undefined : fields.folder('location'),
    action: readAction(fields),
    principal: await readPrincipalOrNone(context, fields, 'principal'),
    credential: fields.optionalText('credential'),
    outcome,
    requestId: fields.optionalText('request_id'),
    from,
    to,
  };
}

/** @throws Refusal INVALID_REQUEST `bad_field` with the known actions most like an unknown one */
function readAction(fields: Fields): string | undefined {
  const action = fields.optionalText('action');
  if (action === undefined || actionKinds.has(action)) return action;
  const near = findNearActions(action);
  throw badField(
    'action',
    near.length > 0
      ? `must be a known action. Near to it are ${near.join(', ')}`
      : 'must be a known action, such as document.read, folder.export or grant.create',
  );
}

function readTime(fields: Fields, name: string, now: number): number | undefined {
  const text = fields.optionalText(name);
  return text === undefined ? undefined : parsePastTime(name, text, now);
}

const isOutcome = (text: string): text is AuditRecord['outcome'] => text === 'done' || text === 'refused';

/** Records that answer the question, the newest first. */
async function* askAll({ perform, signal }: WorkspaceContext, question: Question): AsyncGenerator<AuditEntry> {
  for (let after: string | null = ''; after !== null;) {
    signal.throwIfAborted();
    const page: Page<AuditEntry> = await perform(listAudit, { ...question, after, limit: pageSize });
    yield* page.items;
    after = page.next;
  }
}

/** A record as the command line prints it. */
function present({ seq, at, principal, action, outcome, code, target, ...rest }: AuditEntry): object {
  return {
    seq,
    at: formatTime(at),
    principal: principal?.displayName ?? null,
    principal_id: principal?.id ?? null,
    action,
    outcome: code ?? outcome,
    target,
    interface: rest.interface,
    credential: rest.credential,
    key_made_by: rest.keyMadeBy?.displayName ?? null,
    document_id: rest.documentId,
    version: rest.version,
    request_id: rest.requestId,
    detail: rest.detail,
    hash: rest.hash,
  };
}

/** Hands over all records, some at a time. @returns how many there were */
async function tellAll(
  context: WorkspaceContext,
  question: Question,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  let told = 0;
  let records: object[] = [];
  for await (const entry of askAll(context, question)) {
    records.push(present(entry));
    told += 1;
    if (records.length === batch || told === limit) {
      await context.onProgress({ records });
      records = [];
    }
    if (told === limit) break;
  }
  if (records.length > 0) await context.onProgress({ records });
  return told;
}

/**
 * Hands over records as they are added, until the caller leaves, the server stops, or there were so many.
 * @returns how many there were
 */
async function follow(
  context: WorkspaceContext,
  fields: Fields,
  question: Question,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const { server, signal, perform, onProgress } = context;
  for (const name of ['from', 'to', 'all']) {
    if (fields.isThere(name)) throw badField('follow', `tells what comes from now on: leave out --${name}`);
  }
  if (server === null) {
    throw badField(
      'follow',
      'needs a running server: without one nothing is recorded. Start it with `cartulary serve`',
    );
  }
  const following = await perform(followAudit, question);
  let told = 0;
  while (!signal.aborted && told < limit) {
    const entries = (await following.next()).slice(0, limit - told);
    told += entries.length;
    if (entries.length > 0) await onProgress({ records: entries.map(present) });
    else await pause(interval, undefined, { signal }).catch(() => undefined);
  }
  return told;
}

/** What one principal did with a place, by keys that another principal made or by other ways. */
interface Doings {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly last: number;
  readonly keyMadeBy: string | null;
  first: number;
  times: number;
}

/** Actions by which content is given out, in whole or in part, and by which something is changed. */
const reads: ReadonlySet<string> = new Set([
  ...['read', 'show_image', 'diff', 'annotate', 'preview_edit', 'search'].map((verb) => `document.${verb}`),
  'folder.export',
  'repository.fetch',
]);
const changes: ReadonlySet<string> = new Set([
  ...['create', 'update', 'edit', 'delete', 'undelete', 'restore', 'label', 'import', 'erase'].map(
    (v) => `document.${v}`,
  ),
  ...['create', 'delete', 'undelete', 'revert'].map((verb) => `folder.${verb}`),
  'item.move',
  'item.rename',
  'grant.create',
  'grant.revoke',
  'grant.change_role',
  'connector.sync',
  'repository.push',
]);

/** Who did any of the actions at the place, the last one first. */
async function findWho(context: WorkspaceContext, fields: Fields, actions: ReadonlySet<string>): Promise<object> {
  const now = context.host.clock.now();
  const question: Question = {
    location: fields.folder('location'),
    outcome: 'done',
    from: readTime(fields, 'from', now),
    to: readTime(fields, 'to', now),
  };
  const found = new Map<string, Doings>();
  for await (const { principal, action, at, keyMadeBy: maker } of askAll(context, question)) {
    if (principal === null || !actions.has(action)) continue;
    // What was done with a key that another principal made for a person is a row of its own: its maker can use it, too.
    const row = `${principal.id} ${maker?.id ?? ''}`;
    const before = found.get(row);
    if (before === undefined) {
      const keyMadeBy = maker?.displayName ?? null;
      const { id, kind, displayName: name } = principal;
      found.set(row, { id, name, kind, keyMadeBy, last: at, first: at, times: 1 });
    } else {
      before.times += 1;
      before.first = at;
    }
  }
  return {
    items: [...found.values()].map(({ id, name, kind, keyMadeBy, first, last, times }) => ({
      id,
      name,
      kind,
      key_made_by: keyMadeBy,
      times,
      first: formatTime(first),
      last: formatTime(last),
    })),
  };
}

export const auditQuestionCommands: Readonly<Record<string, Command>> = {
  'audit.list': inWorkspace(async (context, fields) => {
    const question = await readQuestion(context, fields);
    const isAll = fields.flag('all');
    const limit = fields.optionalCount('limit');
    if (fields.flag('follow')) return { told: await follow(context, fields, question, limit) };
    if (isAll) return { told: await tellAll(context, question, limit) };
    const items: object[] = [];
    for await (const entry of askAll(context, question)) {
      if (items.length === (limit ?? usualLimit)) return { items, has_more: true };
      items.push(present(entry));
    }
    return { items, has_more: false };
  }, 'There is no such principal.'),
  'who.read': inWorkspace((context, fields) => findWho(context, fields, reads)),
  'who.changed': inWorkspace((context, fields) => findWho(context, fields, changes)),
};
