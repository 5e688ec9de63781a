import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSchedule, type ScheduleOptions, type SyncSlots } from '../../../lib/connectors/schedule-syncs.js';
import { noAllowance } from '../../../lib/connectors/sources.js';
import { syncLimits, type SyncLimits } from '../../../lib/connectors/sync/limits.js';
import { RunSlots } from '../../../lib/scheduling/run-slots.js';
import { TestTimers } from '../../support/test-timers.js';
import { applyCreateFolder } from '../../../lib/operations/folders/create-folder.js';
import type { Connector, ConnectorRun } from '../../../lib/domain/connector.js';
import { makeIdentifier } from '../../../lib/domain/identifier.js';
import { parseLocation, type Location } from '../../../lib/domain/location.js';
import type { MirrorEntry } from '../../../lib/sidecar/tables/mirror-entry-table.js';
import { findDocument, findFolder } from '../../../lib/view/locate.js';
import type { ConnectorSchedule } from '../../../lib/workspace/connector-schedule.js';
import { keepLog, type LogLine } from '../../support/http/log.js';
import { makeTestRandomness, openTestService, operator, type TestService } from '../../support/store/service.js';
import type { TestServiceOptions } from '../../support/store/service.js';
import { until } from '../../support/until.js';
import { ScriptedSource } from './scripted-source.js';

export const hour = 60 * 60_000;
const start = 'docs';

/** A workspace with connectors of scripted sources, and their schedule. */
export class MirrorWorld {
  readonly service: TestService;
  readonly timers = new TestTimers();
  readonly log: LogLine[] = [];
  readonly slots: SyncSlots = { usual: new RunSlots(2), slow: new RunSlots(2) };
  readonly #folder: string;
  readonly #sources = new Map<string, ScriptedSource>();
  readonly #randomness = makeTestRandomness('connectors');
  limits: SyncLimits = syncLimits;
  #schedule: ConnectorSchedule | undefined;

  private constructor(service: TestService, folder: string) {
    this.service = service;
    this.#folder = folder;
  }

  static async open(options: TestServiceOptions = {}): Promise<MirrorWorld> {
    return new MirrorWorld(await openTestService(options), await mkdtemp(join(tmpdir(), 'cartulary-sync-')));
  }

  /** Connects a new source. Its first run is due, and begins with the schedule. */
  async connect(
    location = start,
    interval = hour,
    createdBy = operator.principalId,
  ): Promise<{ readonly id: string; readonly source: ScriptedSource }> {
    const { workspace } = this.service;
    const id = makeIdentifier('prn', this.#randomness);
    const source = new ScriptedSource();
    this.#sources.set(id, source);
    await workspace.journal.write({
      run(transaction) {
        const { tables, now } = transaction;
        const place = parseLocation(location);
        applyCreateFolder(workspace.openWriteContext(transaction, operator), place);
        tables.principals.insert({ id, kind: 'connector', displayName: location, createdAt: now, disabledAt: null });
        const settings = { id };
        const row = { id, kind: 'git', location: place, settings, secret: null, interval } as const;
        tables.connectors.insert({ ...row, createdAt: now, createdBy });
        tables.folders.setMirror(findFolder(tables, place)?.row.number ?? 0, id);
      },
    });
    return { id, source };
  }

  /** Opens the schedule, as the start of a server does. */
  start(change: Partial<ScheduleOptions> = {}): ConnectorSchedule {
    const { workspace, clock } = this.service;
    const log = keepLog(this.log);
    const kindOf = { ...new ScriptedSource().kind, open: this.#open };
    this.#schedule = openSchedule({
      workspace,
      means: {
        allowance: noAllowance,
        log,
        clock,
        randomness: this.#randomness,
        dataFolder: null,
        kinds: { git: () => Promise.resolve(kindOf) },
      },
      cacheFolder: this.#folder,
      slots: this.slots,
      timers: this.timers,
      limits: this.limits,
      ...change,
    });
    workspace.connectors.start(this.#schedule);
    return this.#schedule;
  }

  readonly #open: ScriptedSource['kind']['open'] = (settings, secret, means) => {
    const source = this.#sources.get((settings as { readonly id: string }).id);
    if (source === undefined) throw new Error('There is no such source.');
    return source.kind.open(settings, secret, means);
  };

  /** Lets a connector run now, and waits for the end of its run. */
  async sync(id: string): Promise<ConnectorRun> {
    const { workspace } = this.service;
    const before = this.lastRun(id)?.number ?? 0;
    await workspace.journal.write({
      run: ({ tables, now }) => tables.connectors.setNextRun(id, { at: now, trigger: 'manual' }),
    });
    if (this.#schedule === undefined) this.start();
    else this.#schedule.wake();
    return this.ended(id, before + 1);
  }

  /** Waits for the end of a run. */
  ended(id: string, number: number): Promise<ConnectorRun> {
    return until(`run ${number} has ended`, () => {
      const run = this.lastRun(id);
      return run !== undefined && run.number >= number && run.outcome !== null ? run : undefined;
    });
  }

  lastRun(id: string): ConnectorRun | undefined {
    return this.service.workspace.journal.reader.connectorRuns.list(id, Number.MAX_SAFE_INTEGER, 1)[0];
  }

  connector(id: string): Connector {
    const found = this.service.workspace.journal.reader.connectors.byId(id);
    if (found === undefined) throw new Error('There is no such connector.');
    return found;
  }

  /** Approves the held change, whatever it is. */
  async approve(id: string): Promise<ConnectorRun> {
    await this.service.workspace.journal.write({
      run: ({ tables }) => {
        tables.connectors.setApproved(id, tables.connectors.byId(id)?.held ?? null);
        tables.connectors.setState(id, 'active', null);
      },
    });
    return this.sync(id);
  }

  /** The mirrored documents with their texts, by their path below the mirror's folder. */
  async mirrored(folder = start): Promise<Record<string, string>> {
    const { workspace } = this.service;
    const found: Record<string, string> = {};
    for (const [location, blobOid] of this.#below(parseLocation(folder))) {
      found[location.slice(folder.length + 1)] = (await workspace.objects.readBlob(blobOid)).toString();
    }
    return found;
  }

  #below(folder: Location): Map<Location, string> {
    const { tables, found } = { tables: this.service.workspace.journal.reader, found: new Map<Location, string>() };
    const row = findFolder(tables, folder)?.row;
    if (row === undefined) return found;
    for (const { name, current } of tables.documents.inFolder(row.number, '', 1000)) {
      found.set(`${folder}/${name}` as Location, current.blobOid);
    }
    for (const { name } of tables.folders.children(row.number, '', 1000)) {
      for (const [location, oid] of this.#below(`${folder}/${name}` as Location)) found.set(location, oid);
    }
    return found;
  }

  documentId(path: string): string | undefined {
    return findDocument(this.service.workspace.journal.reader, parseLocation(`${start}/${path}`))?.row.id;
  }

  /** Left out files with their reasons. */
  skipped(id: string): Record<string, string | null> {
    const rows = this.service.workspace.journal.reader.mirrorEntries.skipped(id, '', 1000);
    return Object.fromEntries(rows.map(({ path, reason }: MirrorEntry) => [path, reason]));
  }

  get commits(): number {
    return this.service.workspace.journal.state.commits;
  }

  async close(): Promise<void> {
    await this.#schedule?.close();
    await this.service.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
