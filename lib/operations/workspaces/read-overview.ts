import { readPolicy } from '../../access/read-policy.js';
import type { Webhook } from '../../domain/webhook.js';
import { findTroubledConnectors, type TroubledConnector } from '../../view/find-troubled-connectors.js';
import type { Workspace } from '../../workspace/workspace.js';
import { adminNeeds } from '../needs.js';
import type { ReadContext, ReadOperation } from '../operation.js';
import { viewAsAdmin } from '../view-as-admin.js';
import { countActivity, type Activity } from './count-activity.js';

/** How a workspace is, for those who administer it. Times are milliseconds since 1970. */
export interface Overview {
  readonly at: number;
  readonly isJournalWell: boolean;
  readonly isDiskLow: boolean;
  /** Bytes of versions, comments and messages. */
  readonly storage: { readonly used: number; readonly quota: number };
  /** Commits that are durable, and not in the repository yet. */
  readonly repository: { readonly objects: number; readonly bytes: number; readonly failingSince: number | null };
  readonly search: {
    readonly state: 'ready' | 'working' | 'building' | 'broken';
    /** Of the work on the whole index; null where there is none. */
    readonly done: number | null;
    readonly documents: number | null;
  };
  readonly connectors: readonly TroubledConnector[];
  /** Those that stopped by themselves. */
  readonly webhooks: readonly Pick<Webhook, 'id' | 'name' | 'location' | 'stopped'>[];
  readonly erases: { readonly open: number; readonly hindered: number };
  readonly audit: {
    readonly seq: number;
    readonly checkpoint: { readonly seq: number; readonly at: number } | null;
  };
  /** The last backup that was made by a command of this service. */
  readonly backedUpAt: number | null;
  readonly hours: readonly Activity[];
  readonly days: readonly Activity[];
}

const hour = 60 * 60_000;
const day = 24 * hour;
const hoursShown = 24;
const daysShown = 14;
/** Refused backups that are passed over on the way to one that was made. */
const backupsLookedAt = 20;

function findBackup({ audit, auditQueries }: Workspace['journal']['reader']): number | null {
  let seq = auditQueries.ofAction('workspace.backup', Number.MAX_SAFE_INTEGER, 1)[0];
  for (let look = 0; look < backupsLookedAt && seq !== undefined; look += 1) {
    const record = audit.find(seq);
    if (record?.code === null) return record.at;
    seq = auditQueries.ofAction('workspace.backup', seq - 1, 1)[0];
  }
  return null;
}

function describeSearch({ search }: Workspace): Overview['search'] {
  const { progress } = search;
  const work = { done: progress?.done ?? null, documents: progress?.documents ?? null };
  if (search.isBroken) return { state: 'broken', ...work };
  if (!search.isReady) return { state: 'building', ...work };
  return { state: progress === null ? 'ready' : 'working', ...work };
}

const isHindered = ({ eraser }: ReadContext['workspace'], id: string): boolean => eraser.hindranceOf(id) !== undefined;

/** How the workspace is: what is wrong, what waits, how much is used, and what happened lately. Admin. */
export const readOverview: ReadOperation<undefined, Overview> = {
  kind: 'read',
  name: 'workspace.overview',
  isHeavy: true,
  needs: () => adminNeeds,
  note: () => ({}),
  async run(context) {
    const { workspace, view } = context;
    const { tables, now } = view;
    const { checkpointer, journal } = workspace;
    const open = tables.erasures.open();
    const checkpoint = tables.auditCheckpoints.last();
    const present: Omit<Overview, 'hours' | 'days'> = {
      at: now,
      isJournalWell: journal.isWell,
      isDiskLow: workspace.disk?.isLow ?? false,
      storage: {
        used: journal.state.storedBytes + tables.storedBytes.beside(),
        quota: readPolicy(tables).storageQuota,
      },
      repository: { ...tables.objects.pendingTotals(), failingSince: checkpointer.failing?.since ?? null },
      search: describeSearch(workspace),
      connectors: findTroubledConnectors(tables),
      webhooks: tables.webhooks.troubled().map(({ id, name, location, stopped }) => ({ id, name, location, stopped })),
      erases: {
        open: open.length,
        hindered: open.filter(({ id, hindrance }) => hindrance !== null || isHindered(workspace, id)).length,
      },
      audit: {
        seq: tables.audit.head()?.seq ?? 0,
        checkpoint: checkpoint === undefined ? null : { seq: checkpoint.seq, at: checkpoint.at },
      },
      backedUpAt: findBackup(tables),
    };
    const look = (): typeof view => viewAsAdmin(context);
    const hours = await countActivity(look, hour, hoursShown);
    return { ...present, hours, days: await countActivity(look, day, daysShown) };
  },
};
