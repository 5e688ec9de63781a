/**
 * A child process for the memory test: 100 MiB up and down through the operations, and the growth of the memory. Its
 * one argument is a data folder; it answers with a line of JSON.
 */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { makeSystemRandomness, systemClock } from '../../lib/app/real-world.js';
import { Service } from '../../lib/app/service.js';
import { parseLocation } from '../../lib/domain/location.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { perform } from '../../lib/operations/perform.js';
import { readDocument } from '../../lib/operations/documents/read-document.js';
import { operator } from '../support/store/service.js';

const piece = 64 * 1024;
const pieces = 1600; // 100 MiB

/** Bytes that compress only a little, the same in every run. */
function* contents(): Generator<Buffer> {
  const block = Buffer.alloc(piece);
  for (let i = 0; i < pieces; i++) {
    for (let at = 0; at < piece; at += 32) {
      if (at % 1024 === 0) createHash('sha256').update(`${i} ${at}`).digest().copy(block, at);
      else block.copyWithin(at, at - 32, at - 16);
    }
    yield Buffer.from(block);
  }
}

const service = await Service.open({
  dataFolder: process.argv[2] ?? '',
  git: process.argv[3] === 'never' ? 'never' : 'auto',
  clock: systemClock,
  randomness: makeSystemRandomness(),
  onFault: (what, cause) => console.error(what, cause),
});
const workspace = await service.addWorkspace('acme');
const location = parseLocation('large.bin');

// A small document first, so that all lasting structures are made.
for (let i = 0; i < 20; i++) {
  await perform(workspace, operator, createDocument, {
    location: parseLocation(`warm/${i}.bin`),
    content: {
      stream: (async function* () {
        for (let n = 0; n < 40; n++) yield Buffer.alloc(piece, n);
      })(),
    },
    labels: [],
    message: null,
  });
}

const before = process.memoryUsage().rss;
let highest = before;
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 5);

const uploaded = createHash('sha256');
await perform(workspace, operator, createDocument, {
  location,
  content: {
    stream: (async function* () {
      for (const each of contents()) {
        uploaded.update(each);
        yield each;
        highest = Math.max(highest, process.memoryUsage().rss);
      }
    })(),
  },
  labels: [],
  message: null,
});
const afterUpload = highest;

/** Reads it back, a little more slowly than it could come. */
async function download(): Promise<string> {
  const { result } = await perform(workspace, operator, readDocument, { location, withContent: true });
  if (result.openStream === null) throw new Error('A large document did not come as a stream.');
  const hash = createHash('sha256');
  let count = 0;
  for await (const each of (await result.openStream()) as AsyncIterable<Buffer>) {
    hash.update(each);
    count += 1;
    if (count % 100 === 0) await delay(2);
  }
  return hash.digest('hex');
}

const asFile = await download();
await workspace.checkpointer.run();
await workspace.maintainer.run();
const inPack = await download();
clearInterval(watch);
const { looseObjects } = await workspace.repository.stats();
await service.close();
console.log(
  JSON.stringify({
    before,
    afterUpload,
    highest,
    isWhole: asFile === inPack && asFile === uploaded.digest('hex'),
    looseObjects,
  }),
);
