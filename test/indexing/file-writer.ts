/**
 * Opens the service in a folder. Stores, replaces, moves, deletes and erases files whose texts are made, until it is
 * killed. The message of a version is the one word that only its text has. Prints a line for each text.
 * node file-writer.js FOLDER SEED
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Service } from '../../lib/app/service.js';
import { parseLocation, rootLocation } from '../../lib/domain/location.js';
import { Extractor } from '../../lib/extraction/extractor.js';
import { createDocument } from '../../lib/operations/documents/create-document.js';
import { updateDocument } from '../../lib/operations/documents/update-document.js';
import { perform } from '../../lib/operations/perform.js';
import { makeRandom } from '../support/faults/load.js';
import { makeDocx, wordText } from '../support/files/make-office.js';
import { makePdf } from '../support/files/make-pdf.js';
import { Actor } from '../support/store/actor.js';
import { eraseAt } from '../support/store/erase-at.js';
import { makeTestRandomness, operator, TestClock } from '../support/store/service.js';

const [dataFolder = '', seed = ''] = process.argv.slice(2);
const service = await Service.open({
  dataFolder,
  git: 'never',
  clock: new TestClock(),
  randomness: makeTestRandomness(`writer ${seed}`),
  extractor: new Extractor({ onRead: () => process.stdout.write('read\n') }),
  onFault: (what, cause) => process.stderr.write(`${what}: ${String(cause)}\n`),
});
const workspace = service.find('acme');
if (workspace === undefined) throw new Error('There is no workspace.');
const actor = new Actor(workspace, operator.principalId);
const chance = makeRandom(`writer ${seed}`);
let count = 0;

const makeFile = (word: string, isPdf: boolean): Buffer =>
  isPdf ? makePdf([[`First page`], [`Here is ${word}`]]) : makeDocx(wordText('Some words', `and ${word}`));

async function change(): Promise<void> {
  const live = [...workspace!.view(operator).walk(rootLocation)];
  const one = live[Math.floor(chance() * live.length)];
  const word = `word${seed}x${(count += 1)}`;
  const kind = chance();
  if (one === undefined || (kind < 0.5 && live.length < 30)) {
    const isPdf = chance() < 0.5;
    const location = parseLocation(`${chance() < 0.5 ? 'a' : 'b'}/${word}.${isPdf ? 'pdf' : 'docx'}`);
    const content = { bytes: makeFile(word, isPdf) };
    await perform(workspace!, operator, createDocument, { location, content, labels: [], message: word });
  } else if (kind < 0.7) {
    const content = { bytes: makeFile(word, one.location.endsWith('.pdf')) };
    const input = { location: one.location, precondition: { any: true } as const, content, message: word };
    await perform(workspace!, operator, updateDocument, input);
  } else if (kind < 0.8) await actor.rename(one.location, `${word}.${one.location.split('.').at(-1) ?? ''}`);
  else if (kind < 0.9) await actor.delete(one.location);
  else await eraseAt(workspace!, one.location);
}

for (;;) {
  await change();
  await delay(chance() * 20);
}
