import { openSchedule } from '../../lib/connectors/schedule-syncs.js';
import { RunSlots } from '../../lib/scheduling/run-slots.js';
import { noAllowance } from '../../lib/connectors/sources.js';
import type { SourceKind } from '../../lib/connectors/source.js';
import type { ConnectorRun } from '../../lib/domain/connector.js';
import { parseLocation, type Location } from '../../lib/domain/location.js';
import { connectSource } from '../../lib/operations/connectors/connect-source.js';
import { findDocument, findFolder } from '../../lib/view/locate.js';
import type { ConnectorSchedule } from '../../lib/workspace/connector-schedule.js';
import { noLog } from '../support/http/log.js';
import { Client } from '../support/store/client.js';
import { makeTestRandomness, openTestService, type TestService } from '../support/store/service.js';
import { until } from '../support/until.js';
import type { Remote } from './remote.js';
import { TestTimers } from '../support/test-timers.js';

const folder = 'mirrors/source';

/** A remote that an approver has connected, in a workspace of its own. */
export class Mirror {
  readonly #service: TestService;
  readonly #schedule: ConnectorSchedule;
  readonly #connector: string;

  private constructor(service: TestService, schedule: ConnectorSchedule, connector: string) {
    this.#service = service;
    this.#schedule = schedule;
    this.#connector = connector;
  }

  static async connect(remote: Remote, kind: SourceKind<never>, cacheFolder: string): Promise<Mirror> {
    const allowance = { ...noAllowance, ...remote.allowance };
    const kinds = { program: () => Promise.resolve(kind as SourceKind) };
    const service = await openTestService({ connectors: { allowance, kinds } });
    const { workspace, clock } = service;
    // Signatures of some sources hold for minutes.
    clock.milliseconds = Date.now();
    const approver = new Client(workspace, (await service.person('approver', '', 'Ada')).id);
    const { id } = await approver.perform(connectSource, {
      location: parseLocation(folder),
      kind: 'program',
      settings: remote.settings as Record<string, unknown>,
      secret: remote.secret,
      name: 'Source',
    });
    const schedule = openSchedule({
      workspace,
      means: { allowance, kinds, log: noLog, clock, randomness: makeTestRandomness('mirror'), dataFolder: null },
      cacheFolder,
      slots: { usual: new RunSlots(1), slow: new RunSlots(1) },
      timers: new TestTimers(),
    });
    workspace.connectors.start(schedule);
    const mirror = new Mirror(service, schedule, id);
    await mirror.#ended(1);
    return mirror;
  }

  /** Lets it run now, and waits for the end of the run. */
  async sync(): Promise<ConnectorRun> {
    const before = this.lastRun?.number ?? 0;
    await this.#service.workspace.journal.write({
      run: ({ tables, now }) => tables.connectors.setNextRun(this.#connector, { at: now, trigger: 'manual' }),
    });
    this.#schedule.wake();
    return this.#ended(before + 1);
  }

  #ended(number: number): Promise<ConnectorRun> {
    return until(`run ${number} has ended`, () => {
      const run = this.lastRun;
      return run !== undefined && run.number >= number && run.outcome !== null ? run : undefined;
    });
  }

  get lastRun(): ConnectorRun | undefined {
    return this.#tables.connectorRuns.list(this.#connector, Number.MAX_SAFE_INTEGER, 1)[0];
  }

  get commits(): number {
    return this.#service.workspace.journal.state.commits;
  }

  documentId(path: string): string | undefined {
    return findDocument(this.#tables, parseLocation(`${folder}/${path}`))?.row.id;
  }

  /** The mirrored documents by their path in the source. */
  async documents(): Promise<Map<string, Buffer>> {
    const found = new Map<string, Buffer>();
    for (const [location, oid] of this.#below(parseLocation(folder))) {
      found.set(location.slice(folder.length + 1), Buffer.from(await this.#service.workspace.objects.readBlob(oid)));
    }
    return found;
  }

  *#below(at: Location): Generator<[Location, string]> {
    const row = findFolder(this.#tables, at)?.row;
    if (row === undefined) return;
    for (const { name, current } of this.#tables.documents.inFolder(row.number, '', 1000)) {
      yield [`${at}/${name}` as Location, current.blobOid];
    }
    for (const { name } of this.#tables.folders.children(row.number, '', 1000)) {
      yield* this.#below(`${at}/${name}` as Location);
    }
  }

  get #tables(): TestService['workspace']['journal']['reader'] {
    return this.#service.workspace.journal.reader;
  }

  async close(): Promise<void> {
    await this.#schedule.close();
    await this.#service.close();
  }
}
