import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { makeFolder, startProgram, tidyUp } from '../support/processes/run-program.js';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { operatorId } from '../../lib/domain/principal.js';
import { importDocuments } from '../../lib/operations/folders/import-documents.js';
import { perform } from '../../lib/operations/perform.js';
import { Actor } from '../support/store/actor.js';
import { makeTestRandomness, TestClock, TestService } from '../support/store/service.js';
import { skipBecause } from '../support/skip.js';

const documents = 1000;
const bytesEach = 30_000;

describe('the memory of an export', () => {
  after(tidyUp);

  it('does not grow with the exported content', async function () {
    this.timeout(180_000);
    if (!existsSync('/proc/self/status')) skipBecause(this, 'the peak of memory can be read on Linux only');
    const data = await makeFolder();
    const key = await prepare(data);
    // A small heap, since a large one fills with garbage before a measurement of its use.
    const environment = { NODE_OPTIONS: '--max-old-space-size=96' };
    const server = await startProgram(['serve', '--data', data, '--port', '0', '--json'], /^\{/, { environment });
    const { url } = JSON.parse(server.lines[0] ?? '') as { url: string };
    // The cost of any first exports: code, caches, buffers, and garbage that waits for its collection.
    const length = await readExport(url, key, '');
    for (let round = 0; round < 2; round += 1) await readExport(url, key, '');
    const before = peakOf(server.pid);
    for (let round = 0; round < 2; round += 1) assert.equal(await readExport(url, key, ''), length);
    const grown = peakOf(server.pid) - before;
    assert.equal(await server.stop(), 0);
    assert.ok(length > documents * bytesEach, `${length} bytes came`);
    assert.ok(grown < length / 2, `${grown} bytes more for two archives of ${length}`);
  });
});

/** The most memory that the process ever held, in bytes. */
function peakOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/** A data folder with many incompressible documents, and a key that reads them. */
async function prepare(dataFolder: string): Promise<string> {
  const onFault = (what: string, cause: unknown): never => assert.fail(new Error(what, { cause }));
  const randomness = makeSystemRandomness();
  const service = await Service.open({ dataFolder, git: 'never', clock: systemClock, randomness, onFault });
  const workspace = await service.addWorkspace('acme');
  const test = new TestService(service, workspace, new TestClock(), dataFolder);
  const { caller } = new Actor(workspace, operatorId);
  const noise = makeTestRandomness();
  for (let start = 0; start < documents; start += 500) {
    const files = Array.from({ length: 500 }, (_, index) => ({
      location: parseLocation(`f${Math.floor((start + index) / 100)}/${start + index}.bin`),
      content: { bytes: Buffer.from(noise.bytes(bytesEach)) },
    }));
    await perform(workspace, caller, importDocuments, { into: rootLocation, files, message: null });
  }
  const { key } = await test.person('reader');
  await service.close();
  return key;
}

async function readExport(url: string, key: string, folder: string): Promise<number> {
  const target = `${url}/v1/folders/export?location=${folder}`;
  const asked = request(target, { headers: { Authorization: `Bearer ${key}` }, agent: false });
  asked.end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  assert.equal(answer.statusCode, 200);
  let length = 0;
  for await (const piece of answer) length += (piece as Buffer).length;
  return length;
}
