import type { Connection } from './driver.js';
import type { Touched } from './stamps.js';
import type { Table } from './statement.js';
import { ActivityTable } from './tables/activity-table.js';
import { AuditArchiveTable } from './tables/audit-archive-table.js';
import { AuditExtentTable } from './tables/audit-extent-table.js';
import { AuditQueryTable } from './tables/audit-query-table.js';
import { AuditCheckpointTable } from './tables/audit-checkpoint-table.js';
import { AuditTable } from './tables/audit-table.js';
import { BriefTable } from './tables/brief-table.js';
import { ClaimTable } from './tables/claim-table.js';
import { CommentTable } from './tables/comment-table.js';
import { ConnectorRunTable } from './tables/connector-run-table.js';
import { ConnectorTable } from './tables/connector-table.js';
import { ContentRows } from './tables/content-rows.js';
import { CredentialTable } from './tables/credential-table.js';
import { DeletionTable } from './tables/deletion-table.js';
import { DocumentTable } from './tables/document-table.js';
import { EraseRows } from './tables/erase-rows.js';
import { ErasureTable } from './tables/erasure-table.js';
import { FeedTable } from './tables/feed-table.js';
import { FolderTable } from './tables/folder-table.js';
import { GrantTable } from './tables/grant-table.js';
import { GroupTable } from './tables/group-table.js';
import { HistoryTable } from './tables/history-table.js';
import { IdempotencyTable } from './tables/idempotency-table.js';
import { LabelTable } from './tables/label-table.js';
import { MessageTable } from './tables/message-table.js';
import { MetaTable } from './tables/meta-table.js';
import { MirrorEntryTable } from './tables/mirror-entry-table.js';
import { ObjectTable } from './tables/object-table.js';
import { PrincipalTable } from './tables/principal-table.js';
import { RelocationTable } from './tables/relocation-table.js';
import { RewrittenCommitTable } from './tables/rewritten-commit-table.js';
import { StoredBytesTable } from './tables/stored-bytes-table.js';
import { StoredObjectTable } from './tables/stored-object-table.js';
import { TrashTable } from './tables/trash-table.js';
import { VersionTable } from './tables/version-table.js';
import { WebhookTable } from './tables/webhook-table.js';

/** All tables of a workspace over one connection. They return the state as that connection sees it. */
export interface Tables {
  readonly meta: MetaTable;
  readonly principals: PrincipalTable;
  readonly groups: GroupTable;
  readonly grants: GrantTable;
  readonly credentials: CredentialTable;
  readonly folders: FolderTable;
  readonly documents: DocumentTable;
  readonly versions: VersionTable;
  readonly labels: LabelTable;
  readonly idempotency: IdempotencyTable;
  readonly storedBytes: StoredBytesTable;
  readonly storedObjects: StoredObjectTable;
  readonly objects: ObjectTable;
  readonly audit: AuditTable;
  readonly auditCheckpoints: AuditCheckpointTable;
  readonly auditArchives: AuditArchiveTable;
  readonly auditQueries: AuditQueryTable;
  readonly auditExtents: AuditExtentTable;
  readonly claims: ClaimTable;
  readonly relocations: RelocationTable;
  readonly content: ContentRows;
  readonly deletions: DeletionTable;
  readonly trash: TrashTable;
  readonly history: HistoryTable;
  readonly comments: CommentTable;
  readonly messages: MessageTable;
  readonly briefs: BriefTable;
  readonly erasures: ErasureTable;
  readonly eraseRows: EraseRows;
  readonly rewrittenCommits: RewrittenCommitTable;
  readonly connectors: ConnectorTable;
  readonly connectorRuns: ConnectorRunTable;
  readonly mirrorEntries: MirrorEntryTable;
  readonly activities: ActivityTable;
  readonly feed: FeedTable;
  readonly webhooks: WebhookTable;
}

/** @param touched called before each write of keys, principals, groups or grants */
export function makeTables(connection: Connection, touched: (what: Touched) => void): Tables {
  const reachTouched = (): void => touched('reach');
  return {
    meta: new MetaTable(connection),
    principals: new PrincipalTable(connection, touched),
    groups: new GroupTable(connection, reachTouched),
    grants: new GrantTable(connection, reachTouched),
    credentials: new CredentialTable(connection, () => touched('keys')),
    folders: new FolderTable(connection),
    documents: new DocumentTable(connection),
    versions: new VersionTable(connection),
    labels: new LabelTable(connection),
    idempotency: new IdempotencyTable(connection),
    storedBytes: new StoredBytesTable(connection),
    storedObjects: new StoredObjectTable(connection),
    objects: new ObjectTable(connection),
    audit: new AuditTable(connection),
    auditCheckpoints: new AuditCheckpointTable(connection),
    auditArchives: new AuditArchiveTable(connection),
    auditQueries: new AuditQueryTable(connection),
    auditExtents: new AuditExtentTable(connection),
    claims: new ClaimTable(connection),
    relocations: new RelocationTable(connection),
    content: new ContentRows(connection),
    deletions: new DeletionTable(connection),
    trash: new TrashTable(connection),
    history: new HistoryTable(connection),
    comments: new CommentTable(connection),
    messages: new MessageTable(connection),
    briefs: new BriefTable(connection),
    erasures: new ErasureTable(connection),
    eraseRows: new EraseRows(connection),
    rewrittenCommits: new RewrittenCommitTable(connection),
    connectors: new ConnectorTable(connection),
    connectorRuns: new ConnectorRunTable(connection),
    mirrorEntries: new MirrorEntryTable(connection),
    activities: new ActivityTable(connection),
    feed: new FeedTable(connection),
    webhooks: new WebhookTable(connection),
  };
}

/** @throws SqliteError when the file lacks a table or column of this release's schema */
export function requireSchema(tables: Tables): void {
  for (const table of Object.values(tables) as Table[]) table.prepareAll();
}
