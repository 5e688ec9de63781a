/**
 * The child of the campaign about mirrors: opens the data folder and lets a connector run, until it is killed or the run
 * has ended. It writes each state as a line of JSON to file descriptor 3.
 */
import { readFileSync, writeSync } from 'node:fs';
import { makeSystemRandomness } from '../../lib/app/real-world.js';
import { Service, type ServiceOptions } from '../../lib/app/service.js';
import type { FileSystem } from '../../lib/git/file-system.js';
import { syncNow } from '../../lib/operations/connectors/steer-connector.js';
import { perform } from '../../lib/operations/perform.js';
import { operator, TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { makeDeadly, type Death } from './deadly-file-system.js';

/** The parent's orders, as JSON in the file named by the only argument. */
export interface SyncOrders extends Death {
  readonly dataFolder: string;
  readonly outside: string;
  readonly git: 'auto' | 'never';
  readonly connectorId: string;
  /** The time of the service's clock. */
  readonly now: number;
}

const orders = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SyncOrders;
const tell = (state: string): void => void writeSync(3, `${JSON.stringify(state)}\n`);

const clock = new TestClock();
clock.milliseconds = orders.now;
const options: ServiceOptions & { readonly fs: FileSystem } = {
  dataFolder: orders.dataFolder,
  git: orders.git,
  clock,
  randomness: makeSystemRandomness(),
  onFault: (what, cause) => tell(`fault ${what}: ${String(cause)}`),
  connectors: { allowance: { hosts: [], folders: [orders.outside], programs: {} } },
  fs: makeDeadly(orders),
};
const service = await Service.open(options);
const workspace = service.find('acme');
if (workspace === undefined) throw new Error('There is no workspace.');
const { connectorId } = orders;
const lastRun = () => workspace.journal.reader.connectorRuns.list(connectorId, Number.MAX_SAFE_INTEGER, 1)[0];
const before = lastRun()?.number ?? 0;
await service.startSchedules();
await perform(workspace, operator, syncNow, { connectorId });
tell('due');
await until('the run has begun', () => (lastRun()?.number ?? 0) > before);
tell('begun');
await until('the run has ended', () => lastRun()?.outcome !== null);
await workspace.checkpointer.run();
tell('ended');
process.exit(0);
