/**
 * A child process for the test of a limit on file sizes: it writes on command and reports the outcome. Commands are
 * lines on its standard input: `write` writes until a refusal, `check` waits until writing works again and reads
 * everything back.
 */
import { createInterface } from 'node:readline';
import { outcomeOf } from '../support/store/actor.js';
import { until } from '../support/until.js';
import { makeWorkbench, readAll } from '../support/faults/workbench.js';

const bench = await makeWorkbench();
const kept: string[] = [];
const text = (location: string): string => `${location} `.repeat(2000);

async function writeUntilRefused(): Promise<string> {
  for (let i = 0; i < 3000; i++) {
    const location = `${kept.length}.md`;
    const outcome = await outcomeOf(bench.actor.create(location, text(location)));
    if (outcome !== 'done') return outcome;
    kept.push(location);
  }
  return 'done';
}

async function check(): Promise<string> {
  const createAfter = () => outcomeOf(bench.actor.create('after.md', 'after', 'after'));
  await until('writing works again', async () => (await createAfter()) === 'done');
  for (const location of kept) {
    if ((await readAll(bench.actor, location)) !== text(location)) return `${location} is not what was written`;
  }
  await bench.workspace.checkpointer.run();
  const problems = await bench.workspace.repository.fsck();
  return problems.length === 0 ? 'sound' : problems.join('; ');
}

for (let i = 0; i < 20; i++) {
  await bench.actor.create(`early/${i}.md`, text('early'));
}
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'write') console.log(`${await writeUntilRefused()} after ${kept.length}`);
  if (line === 'check') console.log(await check());
}
await bench.remove();
