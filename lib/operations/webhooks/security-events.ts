import type { SecurityKind, Webhook } from '../../domain/webhook.js';
import type { FoundRecord } from '../../audit/seek-records.js';
import { yieldToLoop } from '../../scheduling/yield-to-loop.js';
import type { Tables } from '../../sidecar/tables.js';
import type { SecurityLog } from './security-log.js';

/** What an event tells, and where the log goes on behind it. */
export interface FoundEvent {
  /** Unique in its workspace: the kind and the number of its record. */
  readonly id: string;
  readonly type: SecurityKind;
  readonly at: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** The position just before it. */
  readonly before: string;
  readonly next: string;
}

/** Records looked at before others get their turn, and how often that goes on for one look. */
const rowsInStep = 500;
const maxSteps = 40;
/** Refused requests of one source in a minute that make a burst. */
const burst = 10;

const kindsOfActions: Readonly<Record<string, SecurityKind>> = {
  'authentication.failed': 'security.refused_burst',
  'rate.limited': 'security.refused_burst',
  'credential.mint': 'security.key_minted',
  'credential.rotate': 'security.key_rotated',
  'credential.revoke': 'security.key_revoked',
  'grant.create': 'security.root_access_changed',
  'grant.change_role': 'security.root_access_changed',
  'grant.revoke': 'security.root_access_changed',
  'group.join': 'security.principal_changed',
  'group.leave': 'security.principal_changed',
  'principal.add': 'security.principal_changed',
  'principal.set_state': 'security.principal_changed',
  'policy.change': 'security.policy_changed',
  'webhook.create': 'security.webhook_changed',
  'webhook.change': 'security.webhook_changed',
  'webhook.rotate_secret': 'security.webhook_changed',
  'webhook.remove': 'security.webhook_changed',
  'document.erase': 'security.erased',
};

/** Whether records of an action can be events. */
export const isSecurityAction = (action: string): boolean => Object.hasOwn(kindsOfActions, action);

/** Details that name no document. */
const toldDetails = [
  'count',
  'reason',
  'source',
  'role',
  'subject',
  'disabled',
  'host',
  'kinds',
  'enabled',
  'for_another_person',
];

/** Where reading goes on: behind a record, and behind a signed head. */
interface Place {
  readonly record: number;
  readonly head: number;
}

function readPlace(position: string): Place {
  const [, record = '0', head = record] = position.split(' ');
  return { record: Number(record), head: Number(head) };
}

const writePlace = ({ record, head }: Place): string => `audit ${record} ${head}`;

/** There is no event up to there. */
export interface NoEvent {
  readonly next: string;
  /** Whether the log ends there now. */
  readonly isCurrent: boolean;
}

/**
 * The next event behind a position of the audit log, for an approver of the root. Records that are in an archive by now
 * count, too. It looks at so many records at most, and says how far it came.
 * @throws ArchiveUnreadable
 */
export async function findSecurityEvent(
  log: SecurityLog,
  { kinds }: Pick<Webhook, 'kinds'>,
  position: string,
): Promise<FoundEvent | NoEvent> {
  const wanted = new Set<string>(kinds ?? []);
  let place = readPlace(position);
  for (let step = 0; step < maxSteps; step += 1) {
    if (step > 0) await yieldToLoop();
    const { rows, end, isLast } = await log.after(place.record, rowsInStep);
    const { tables } = log;
    const tellsHeads = wanted.has('security.chain_checkpoint');
    const [head] = tellsHeads ? tables.auditCheckpoints.between(place.head, end) : [];
    for (const row of rows) {
      if (head !== undefined && head.seq < row.seq) break;
      const event = describeRecord(tables, row);
      if (event !== undefined && wanted.has(event.type)) {
        const before = writePlace({ ...place, record: row.seq - 1 });
        return { ...event, before, next: writePlace({ ...place, record: row.seq }) };
      }
    }
    if (head !== undefined) {
      const record = Math.max(place.record, head.seq);
      const before = writePlace({ ...place, record });
      return { ...describeHead(head), before, next: writePlace({ record, head: head.seq }) };
    }
    place = { record: end, head: tellsHeads ? place.head : end };
    if (isLast) return { next: writePlace(place), isCurrent: true };
  }
  return { next: writePlace(place), isCurrent: false };
}

function describeHead({ seq, at, hash, signature }: { seq: number; at: number; hash: Buffer; signature: Buffer }) {
  const type = 'security.chain_checkpoint' as const;
  const data = { seq, hash: hash.toString('hex'), signature: signature.toString('base64') };
  return { id: `${type} ${seq}`, type, at, data };
}

function describeRecord({ audit }: Tables, row: FoundRecord): Omit<FoundEvent, 'before' | 'next'> | undefined {
  const type = kindsOfActions[row.action];
  if (type === undefined) return undefined;
  const isBurst = type === 'security.refused_burst';
  if (!isBurst && row.code !== null) return undefined;
  const text = audit.textOf(row.seq);
  const detail = readDetail(text?.detail ?? null);
  if (isBurst && Number(detail['count']) < burst) return undefined;
  const target = text?.target ?? null;
  if (type === 'security.root_access_changed' && target !== '') return undefined;
  const data = {
    seq: row.seq,
    hash: row.hash.toString('hex'),
    action: row.action,
    outcome: row.code === null ? 'done' : 'refused',
    code: row.code,
    principal: row.principal,
    credential: row.credential,
    interface: row.interface,
    requestId: row.request_id,
    // What was erased is named nowhere.
    target: type === 'security.erased' ? null : target,
    detail,
  };
  return { id: `${type} ${row.seq}`, type, at: row.at, data };
}

function readDetail(text: string | null): Readonly<Record<string, unknown>> {
  const detail = text === null ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(toldDetails.flatMap((name) => (name in detail ? [[name, detail[name]]] : [])));
}
