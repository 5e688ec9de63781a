import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { sendCommand } from '../../lib/commands/carrier/send-command.js';
import { BucketProxy } from '../support/stored/bucket-proxy.js';
import { s3rverKey, ServedByS3rver } from '../support/stored/serve-with-s3rver.js';
import { drive } from './drive.js';
import type { Effort } from './measure-core.js';
import { readsOf, takeTurns, writesOf } from './measure-processor.js';
import type { Report } from './report.js';
import { seed } from './seed.js';
import { startCartulary } from './start-server.js';

const documents = 400;
const bytes = 4096;
const perFolder = 10;

/**
 * What a copy in a bucket costs: microseconds of processor time for each request beside the same service without one,
 * 16 connections, 400 documents of 4 kB in 40 folders; then requests to the store and bytes for each write, of 16
 * connections and of one that writes twice a second. The store runs in the process that measures.
 */
export async function measureCopies(report: Report, { seconds, times }: Effort): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-bucket-'));
  const store = await ServedByS3rver.start(folder);
  const proxy = await BucketProxy.open(store.host, s3rverKey);
  process.env['AWS_ACCESS_KEY_ID'] = s3rverKey.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = s3rverKey.secretAccessKey;
  process.env['CARTULARY_OBJECTS_ENDPOINT'] = `http://${proxy.host}`;
  const recipient = await identityToRecipient(await generateIdentity());
  const [plainSeed, copiedSeed] = [
    await seed(documents, { perFolder, bytes }),
    await seed(documents, { perFolder, bytes }),
  ];
  const plain = await startCartulary(plainSeed.dataFolder);
  const following = ['--follow', 's3://team/bench', '--follow-recipients', recipient];
  const copied = await startCartulary(copiedSeed.dataFolder, ...following);
  try {
    const puts = await takeTurns(
      { plain: writesOf(plain, plainSeed), copied: writesOf(copied, copiedSeed) },
      { seconds, times },
    );
    const gets = await takeTurns(
      { plain: readsOf(plain, plainSeed), copied: readsOf(copied, copiedSeed) },
      { seconds, times },
    );
    const add = (what: string, value: number, beside: number): void =>
      report.add({
        what: `processor time of ${what} with a copy in a bucket`,
        value,
        unit: 'µs',
        baseline: { name: 'without', value: beside },
      });
    add('PUT of 4 kB with If-Match', puts.copied, puts.plain);
    add('GET of 4 kB', gets.copied, gets.plain);
    const stored = async (): Promise<number> => {
      const answer = await sendCommand(
        copiedSeed.dataFolder,
        { command: 'follow.status', fields: {} },
        async () => undefined,
      );
      if (answer === undefined || 'error' in answer) throw new Error('The server does not answer.');
      const { files } = answer.result as { readonly files: readonly { readonly bytes: number }[] };
      return files.reduce((sum, each) => sum + each.bytes, 0);
    };
    for (const [who, connections, pace] of [
      ['16 connections', 16, undefined],
      ['one connection, 2 a second', 1, 2],
    ] as const) {
      // The point of what went before holds all its pages, and belongs to none of these writes.
      await new Promise((resolve) => setTimeout(resolve, 62_000));
      const load = await writesOf(copied, copiedSeed).load();
      const before = { bytes: await stored(), asked: proxy.asked.length };
      const { answered } = await drive({ ...load, connections, pace, seconds: Math.max(seconds, 5) });
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const writes = proxy.asked.slice(before.asked).filter((each) => each.startsWith('PUT')).length;
      report.add({
        what: `bytes of page sets for a PUT, ${who}`,
        value: ((await stored()) - before.bytes) / answered,
        unit: 'bytes',
      });
      report.add({ what: `PUTs to the store for a hundred, ${who}`, value: (100 * writes) / answered, unit: '' });
    }
  } finally {
    await Promise.all([plain.stop(), copied.stop()]);
    await Promise.all([plainSeed.remove(), copiedSeed.remove()]);
    await proxy.close();
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
