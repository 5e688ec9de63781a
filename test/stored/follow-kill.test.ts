import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Service } from '../../lib/app/service.js';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { rootLocation } from '../../lib/domain/location.js';
import { followFolder } from '../../lib/stored/follow-folder.js';
import { Lives } from '../../lib/stored/lives.js';
import { countOf, leastOf, seedOf } from '../support/counts.js';
import { makeRandom } from '../support/faults/load.js';
import { Actor } from '../support/store/actor.js';
import { operator } from '../support/store/service.js';
import { TemporaryFolders } from '../support/git/fixture.js';
import { never, startS3rver, type ServedStore } from './bucket-world.js';
import { address, bucketOf, makeCopyKey, restoreSound, type CopyKey } from './follow-world.js';
import type { Line, Orders } from './followed-writer.js';

/** Milliseconds. */
const promised = 1000;

interface Life {
  readonly acknowledged: readonly Extract<Line, { readonly what: 'done' }>[];
  readonly killedAt: number;
}

/** Runs a service until it is killed. */
async function runAndKill(orders: Orders, lifetime: number): Promise<Life> {
  const program = fileURLToPath(new URL('./followed-writer.js', import.meta.url));
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (piece: Buffer) => (said += piece.toString()));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const acknowledged: Extract<Line, { readonly what: 'done' }>[] = [];
  let killedAt = 0;
  let timer: Promise<void> | undefined;
  for await (const text of createInterface({ input: child.stdio[3] as Readable })) {
    const line = JSON.parse(text) as Line;
    if (line.what === 'done') acknowledged.push(line);
    else {
      assert.notEqual(line.state, 'superseded', said);
      timer = delay(lifetime).then(() => {
        killedAt = Date.now();
        child.kill('SIGKILL');
      });
    }
  }
  await ended;
  assert.notEqual(timer, undefined, `it did not open: ${said}`);
  return { acknowledged, killedAt };
}

describe('a followed service that is killed', () => {
  const folders = new TemporaryFolders();
  let store: ServedStore;
  let key: CopyKey;

  before(async function () {
    this.timeout(60_000);
    store = await startS3rver(this);
    store.proxy.isWhole = true;
    key = await makeCopyKey();
  });
  after(async () => {
    await folders.remove();
    await store?.close();
  });

  const rounds = countOf('FOLLOW_KILLS', { usual: 4, campaign: 200 });

  it('loses nothing that it acknowledged more than a second before, and goes on from the copy on another machine', async () => {
    const seed = seedOf(5);
    const random = makeRandom(`kills ${seed}`);
    let dataFolder = await folders.make();
    const present = new Map<string, string>();
    let checked = 0;
    for (let round = 0; round < rounds; round++) {
      const orders: Orders = {
        dataFolder,
        host: store.proxy.host,
        key: store.key,
        address,
        recipient: key.recipient,
        round,
      };
      const { acknowledged, killedAt } = await runAndKill(orders, 300 + random() * 2500);
      const isLost = round % 2 === 1;
      const restored = join(await folders.make(), 'restored');
      await restoreSound(store, key, restored);
      const found = await readAllDocuments(restored);
      for (const [location, text] of present)
        assert.equal(found.get(location), text, `seed ${seed}: ${location}, of an earlier life`);
      for (const { location, text, at } of acknowledged) {
        if (found.has(location)) assert.equal(found.get(location), text);
        else
          assert.ok(
            killedAt - at <= promised,
            `seed ${seed}, round ${round}: ${location} was acknowledged ${killedAt - at} ms before`,
          );
        if (killedAt - at > promised) checked += 1;
      }
      // The machine is lost with its disk, and another takes over; or the same one starts again.
      const kept = isLost ? found : undefined;
      for (const { location, text } of acknowledged)
        if (kept === undefined || kept.has(location)) present.set(location, text);
      if (!isLost) continue;
      dataFolder = restored;
      const folder = followFolder(dataFolder);
      const lives = new Lives({
        bucket: bucketOf(store),
        address,
        folder,
        clock: systemClock,
        randomness: makeSystemRandomness(),
      });
      await lives.takeOver(never);
    }
    assert.ok(checked > leastOf(rounds, 20, 4), `only ${checked} documents were acknowledged early enough`);
  }).timeout(60_000 + rounds * 20_000);
});

async function readAllDocuments(dataFolder: string): Promise<Map<string, string>> {
  const service = await Service.open({
    dataFolder,
    git: 'auto',
    clock: systemClock,
    randomness: makeSystemRandomness(),
    onFault: () => undefined,
  });
  const found = new Map<string, string>();
  try {
    const workspace = service.find('acme');
    assert.ok(workspace !== undefined);
    const actor = new Actor(workspace, operator.principalId);
    const locations = Array.from(workspace.view(operator).walk(rootLocation), ({ location }) => location);
    for (const location of locations) found.set(location, await actor.read(location));
    return found;
  } finally {
    await service.close();
  }
}
