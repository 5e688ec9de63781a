/**
 * Makes an index in a folder whose document `secret.md` holds the words of a file, in two versions, then forgets it.
 * Writes a snapshot of its heap before and after. node forgetful.js FOLDER FILE SNAPSHOTS
 */
import fs from 'node:fs';
import path from 'node:path';
import v8 from 'node:v8';
import { forget, IndexOf } from './index-of.js';

const [folder = '', file = '', snapshots = ''] = process.argv.slice(2);

/** The words must not survive in this program's own variables. */
function fill(of: IndexOf): void {
  const read = (): string => fs.readFileSync(file, 'utf8');
  of.write('secret.md', `${read()} first`);
  for (let number = 0; number < 40; number += 1) of.write(`c/${number}.md`, `ladder ${number}`);
  of.write('secret.md', `${read()} second`, [read().split(' ')[0] ?? '']);
  for (let number = 0; number < 40; number += 1) of.write(`d/${number}.md`, `ladder ${number}`);
  of.texts.delete('secret.md');
}

const of = new IndexOf({}, { folder, firstTier: 400 });
fill(of);
await of.index.analyzeInWorker([
  { location: 'x.md' as never, text: fs.readFileSync(file, 'utf8'), kind: 'text', labels: [] },
]);
await of.index.save();
v8.writeHeapSnapshot(path.join(snapshots, 'before.heapsnapshot'));
const key = of.keyOf('secret.md');
process.stdout.write('forgetting\n');
of.remove('secret.md');
await forget(of.index, key);
v8.writeHeapSnapshot(path.join(snapshots, 'after.heapsnapshot'));
process.stdout.write('forgotten\n');
await of.index.close();
