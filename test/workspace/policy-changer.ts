/**
 * Opens the service in a folder. Changes again and again how its search reads words, and writes meanwhile, until it is
 * killed. Prints a line whenever an index is being worked on. node policy-changer.js FOLDER PRINCIPAL SEED
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../../lib/app/service.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, TestClock } from '../support/store/service.js';
import { until } from '../support/until.js';
import { changeSearchPolicy, doAnything } from './search-histories.js';

const [dataFolder = '', principal = '', seed = ''] = process.argv.slice(2);
const service = await Service.open({
  dataFolder,
  git: 'never',
  clock: new TestClock(),
  randomness: makeTestRandomness(`changer ${seed}`),
  onFault: (what, cause) => process.stderr.write(`${what}: ${String(cause)}\n`),
});
const workspace = service.find('acme');
if (workspace === undefined) throw new Error('There is no workspace.');
const actor = new Actor(workspace, principal);
const chance = makeRandom(`changer ${seed}`);

async function write(): Promise<never> {
  for (;;) {
    await doAnything(workspace!, actor, chance);
    await delay(chance() * 10);
  }
}

async function govern(): Promise<never> {
  for (;;) {
    await workspace!.searchCaughtUp();
    await changeSearchPolicy(workspace!, chance);
    const state = { isFollowed: false };
    void workspace!.searchCaughtUp().then(() => (state.isFollowed = true));
    await until('the policy is being followed, or is', () => workspace!.search.progress !== null || state.isFollowed);
    const { progress } = workspace!.search;
    if (progress !== null) process.stdout.write(`${progress.task}\n`);
  }
}

await Promise.all([write(), govern()]);
