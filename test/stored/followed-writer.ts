/**
 * The child of the kills: opens a followed service and writes documents until it is killed. After each answer it writes a
 * line of JSON to file descriptor 3. So the parent knows what was acknowledged, and when.
 */
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { systemTimers } from '../../lib/scheduling/timers.js';
import { Follower } from '../../lib/stored/follower.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { openBucketAt } from './bucket-world.js';

/** The parent's orders, as JSON in the only argument. */
export interface Orders {
  readonly dataFolder: string;
  readonly host: string;
  readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly address: string;
  readonly recipient: string;
  readonly round: number;
}

/** A line of the child's. `at`: milliseconds since 1970 of the answer. */
export type Line =
  | { readonly what: 'open'; readonly state: string }
  | { readonly what: 'done'; readonly location: string; readonly text: string; readonly at: number };

const orders = JSON.parse(process.argv[2] ?? '') as Orders;
const tell = (line: Line): void => void writeSync(3, `${JSON.stringify(line)}\n`);
const randomness = makeSystemRandomness();
const { dataFolder, host, key, address, recipient, round } = orders;
const follower = new Follower({
  bucket: openBucketAt(host, key, { timers: systemTimers }),
  address,
  dataFolder,
  recipients: [recipient],
  interval: 1000,
  pointInterval: 2000,
  isVersioned: false,
  clock: systemClock,
  randomness,
  timers: systemTimers,
  onFault: (what, cause) => process.stderr.write(`${what}: ${String(cause)}\n`),
  onNews: () => undefined,
});
const service = await Service.open({
  dataFolder,
  git: 'auto',
  clock: systemClock,
  randomness,
  onFault: (what, cause) => process.stderr.write(`${what}: ${String(cause)}\n`),
  copies: follower,
});
const workspace = service.find('acme') ?? (await service.addWorkspace('acme'));
await follower.start(service);
tell({ what: 'open', state: follower.status.state });
const random = makeRandom(`round ${round}`);
const actor = new Actor(workspace, operator.principalId);
for (let count = 0; ; count++) {
  const location = `team-${Math.floor(random() * 5)}/r${round}-${count}.md`;
  const size = random() < 0.02 ? 100_000 : Math.floor(random() * 200);
  const text = `${round} ${count} ${'words '.repeat(size)}`;
  await actor.create(location, text);
  tell({ what: 'done', location, text, at: Date.now() });
  if (random() < 0.01) void workspace.maintainer.run();
  await delay(5);
}
