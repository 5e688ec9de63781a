import assert from 'node:assert/strict';
import { s3Kind, type S3Settings } from '../../../lib/connectors/s3/s3-kind.js';
import { UnreadableFile, type Source, type SourceMeans } from '../../../lib/connectors/source.js';
import { assertFault } from '../../support/connectors/assert-fault.js';
import { skipBecause } from '../../support/skip.js';
import { Follower, meansOf, readWhole } from '../follow.js';
import { BucketClient } from '../../support/stored/bucket-client.js';
import { hasSwift, Swift, swiftKey } from '../../support/stored/serve-with-swift.js';

describe('a bucket of OpenStack Swift, which checks signatures', function () {
  let swift: Swift;
  let bucket: BucketClient;
  const sources: Source[] = [];
  const never = new AbortController().signal;

  before(async function () {
    if (!hasSwift()) skipBecause(this, 'OpenStack Swift is not installed');
    swift = await Swift.start();
    bucket = new BucketClient(`http://${swift.host}/team`, swiftKey);
    await bucket.make();
  });
  afterEach(async () => {
    for (const source of sources.splice(0)) await source.close();
  });
  after(async () => swift?.stop());

  it('is listed in many parts and read under every name', async () => {
    const names = [
      'a.md',
      'b c+d.md',
      'ünder/日本語 🗂️.md',
      '100%.md',
      '%41.md',
      'q?x&y=z#h.md',
      `(it's)!*.md`,
      'x//y.md',
      '-rf',
      '~t.md',
    ];
    for (const name of names) await bucket.put(`names/${name}`, Buffer.from(`named ${name}`));
    await bucket.put('names/folder/', Buffer.alloc(0));
    await bucket.put('other.md', Buffer.from('outside of the prefix'));
    const source = await open({ prefix: 'names' });
    const { files } = await listed(source);
    assert.deepEqual([...files.keys()].sort(), names.sort());
    for (const [name, file] of files) assert.equal(String(await readWhole(source, file, never)), `named ${name}`);
    assert.equal(await source.check(never), 'The bucket team holds more than 3 objects there.');
  });

  it('reads only what was listed', async () => {
    await bucket.put('changing/a.md', Buffer.from('first'));
    await bucket.put('changing/b.md', Buffer.from('first'));
    const source = await open({ prefix: 'changing/' });
    const { files } = await listed(source);
    await bucket.put('changing/a.md', Buffer.from('other'));
    await bucket.remove('changing/b.md');
    for (const file of files.values()) {
      await assert.rejects(
        readWhole(source, file, never),
        (error) => error instanceof UnreadableFile && /meanwhile/.test(error.message),
      );
    }
  });

  it('says what is wrong with a key, a bucket and a clock', async () => {
    const check = async (opened: Promise<Source>): Promise<string> => (await opened).check(never);
    await assertFault(check(open({}, 'wrong')), 'auth', /does not know this access key, or the secret is wrong/);
    await assertFault(check(open({ access_key_id: 'test:nobody' })), 'auth', /does not know this access key/);
    await assertFault(check(open({ bucket: 'absent' })), 'not_found', /no bucket of this name/);
    const clock = { now: () => Date.now() - 3_600_000, elapsed: () => performance.now() };
    await assertFault(check(open({}, undefined, { clock })), 'network', /clock here and that of the store/);
  });

  async function open(
    change: Partial<S3Settings> = {},
    secret: string | null = swiftKey.secretAccessKey,
    more: Partial<SourceMeans> = {},
  ): Promise<Source> {
    const settings = {
      endpoint: `http://${swift.host}`,
      bucket: 'team',
      access_key_id: swiftKey.accessKeyId,
      ...change,
    };
    const means = meansOf({ allowance: { hosts: [swift.host] } }, '/nonexistent');
    const source = await s3Kind.open(settings, secret, { ...means, ...more });
    sources.push(source);
    return source;
  }

  async function listed(source: Source): Promise<Follower> {
    const follower = new Follower();
    await follower.follow(source, never);
    return follower;
  }
});
