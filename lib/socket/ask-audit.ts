import type { AuditEntry } from '../domain/audit-entry.js';
import type { AuditRecord } from '../domain/audit-record.js';
import { formatTime } from '../domain/clock.js';
import type { Page } from '../domain/page.js';
import { listAudit, type ListAuditInput } from '../operations/audit/list-audit.js';
import { inWorkspace, type Command, type WorkspaceContext } from './command.js';
import { badField, parsePastTime, type Fields } from './fields.js';

const usualLimit = 100;
const pageSize = 1000;

type Question = Omit<ListAuditInput, 'after' | 'limit'>;

/** The question of `audit list`. Times are RFC 3339, or how long ago. */
function readQuestion(fields: Fields, now: number): Question {
  const outcome = fields.optionalText('outcome');
  if (outcome !== undefined && !isOutcome(outcome)) throw badField('outcome', 'must be done or refused');
  return {
    location: fields.optionalText('location') === undefined ? undefined : fields.folder('location'),
    principal: fields.optionalText('principal'),
    credential: fields.optionalText('credential'),
    action: fields.optionalText('action'),
    outcome,
    requestId: fields.optionalText('request_id'),
    from: readTime(fields, 'from', now),
    to: readTime(fields, 'to', now),
  };
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
    document_id: rest.documentId,
    version: rest.version,
    request_id: rest.requestId,
    detail: rest.detail,
    hash: rest.hash,
  };
}

/** What one principal did with a place. */
interface Doings {
  readonly name: string;
  readonly kind: string;
  readonly last: number;
  first: number;
  times: number;
}

/** Actions by which content is read, and by which something is changed. */
const reads: ReadonlySet<string> = new Set(
  ['read', 'diff', 'annotate', 'preview_edit'].map((verb) => `document.${verb}`).concat('folder.export'),
);
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
  for await (const { principal, action, at } of askAll(context, question)) {
    if (principal === null || !actions.has(action)) continue;
    const before = found.get(principal.id);
    if (before === undefined) {
      found.set(principal.id, { name: principal.displayName, kind: principal.kind, last: at, first: at, times: 1 });
    } else {
      before.times += 1;
      before.first = at;
    }
  }
  return {
    items: [...found].map(([id, { name, kind, first, last, times }]) => ({
      id,
      name,
      kind,
      times,
      first: formatTime(first),
      last: formatTime(last),
    })),
  };
}

export const auditQuestionCommands: Readonly<Record<string, Command>> = {
  'audit.list': inWorkspace(async (context, fields) => {
    const question = readQuestion(fields, context.host.clock.now());
    const limit = fields.optionalCount('limit') ?? usualLimit;
    const items: object[] = [];
    for await (const entry of askAll(context, question)) {
      items.push(present(entry));
      if (items.length === limit) break;
    }
    return { items };
  }),
  'who.read': inWorkspace((context, fields) => findWho(context, fields, reads)),
  'who.changed': inWorkspace((context, fields) => findWho(context, fields, changes)),
};
