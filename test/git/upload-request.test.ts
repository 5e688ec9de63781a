import assert from 'node:assert/strict';
import { encodePacket, flushPacket } from '../../lib/git/serving/packets.js';
import type { ProtocolVersion } from '../../lib/git/serving/start-service.js';
import { readUploadRequest, UnfitRequest, type FetchRequest } from '../../lib/git/serving/upload-request.js';

const delimiter = Buffer.from('0001');

const ability = ['agent=git/2.39.5', 'object-format=sha1'];

describe('A request to git-upload-pack', () => {
  it('is read, and written anew without what git passes over', async () => {
    const request = second('thin-pack', `want ${oid('a')}`, `have ${oid('b')}`, `have ${oid('c')}`, 'done');
    const { bytes, ...said } = await readFetch(request);
    const read = { command: 'fetch', wants: [oid('a')], haves: [oid('b'), oid('c')], isLast: true };
    assert.deepEqual(said, read);
    const args = ['thin-pack', `want ${oid('a')}`, `have ${oid('b')}`, `have ${oid('c')}`, 'done'];
    const written = ['command=fetch', 'object-format=sha1'].map((text) => encodePacket(text));
    assert.deepEqual(bytes, whole(...written, delimiter, ...args.map((text) => encodePacket(text)), flushPacket));
    assert.deepEqual(await readFetch(bytes), { ...read, bytes }, 'it stays as it is when it is read again');
  });

  it('is read in the versions before, with one end or a last word', async () => {
    const wants = [`want ${oid('a')} multi_ack_detailed side-band-64k agent=git/2.39.5 unknown`, `want ${oid('b')}`];
    const said = { command: 'fetch', wants: [oid('a'), oid('b')], haves: [oid('c')] };
    for (const version of [0, 1] as const) {
      const last = await readFetch(whole(...wants, flushPacket, `have ${oid('c')}`, 'done'), version);
      const others = await readFetch(whole(...wants, flushPacket, `have ${oid('c')}`, flushPacket), version);
      assert.deepEqual(
        [
          { ...last, bytes: 0 },
          { ...others, bytes: 0 },
        ].map(({ isLast }) => isLast),
        [true, false],
      );
      assert.deepEqual({ ...last, bytes: 0 }, { ...said, bytes: 0, isLast: true });
      assert.match(last.bytes.toString(), /want a{40} multi_ack_detailed side-band-64k0/);
      assert.deepEqual(await readFetch(last.bytes, version), last);
    }
  });

  it('wants parts where it names a depth or a filter, or has a shallow clone', async () => {
    for (const part of ['deepen 1', 'deepen-since 17', 'deepen-not refs/heads/x', 'filter blob:none']) {
      assert.equal((await readFetch(second(`want ${oid('a')}`, part, 'done'))).wants, null, part);
      const old = whole(`want ${oid('a')}`, part, flushPacket, 'done');
      assert.equal((await readFetch(old, 0)).wants, null, part);
    }
    assert.equal((await readFetch(second(`want ${oid('a')}`, `shallow ${oid('b')}`, 'done'))).wants, null);
  });

  it('has no word where a word of it stands within a line', async () => {
    const hidden = `agent=git/2 0032have ${oid('b')}`;
    const body = whole('command=fetch', hidden, delimiter, `want ${oid('a')}`, 'done', flushPacket);
    assert.deepEqual((await readFetch(body)).haves, []);
    const first = `want ${oid('a')} agent=0009done 0032have ${oid('b')}`;
    await assert.rejects(readFetch(whole(first, flushPacket, 'x'), 0), UnfitRequest);
    const { haves, isLast } = await readFetch(whole(first, flushPacket, flushPacket), 0);
    assert.deepEqual({ haves, isLast }, { haves: [], isLast: false });
  });

  it('of one mark is a try, and asks for nothing', async () => {
    for (const version of [0, 1, 2] as const) {
      const { wants, haves, bytes } = await readFetch(flushPacket, version);
      assert.deepEqual([wants, haves, bytes.toString()], [[], [], '0000']);
    }
  });

  it('for the refs says which of them it is about', async () => {
    const all = { command: 'ls-refs', withHead: true, withMain: true, hasTargets: false, hasUnborn: false };
    assert.deepEqual(await readUploadRequest(listing(), 2), all);
    const many = Array.from({ length: 5000 }, (_, number) => `ref-prefix ${number}`);
    assert.deepEqual(await readUploadRequest(listing('symrefs', 'unborn', 'peel', ...many), 2), {
      ...all,
      withHead: false,
      withMain: false,
      hasTargets: true,
      hasUnborn: true,
    });
    assert.deepEqual(await readUploadRequest(listing('ref-prefix refs/heads/'), 2), { ...all, withHead: false });
  });

  it('is refused where it is not of the form that git gives it', async () => {
    const usual = second(`want ${oid('a')}`, 'done');
    const seconds: Readonly<Record<string, Buffer>> = {
      nothing: Buffer.alloc(0),
      'no packets': Buffer.from('zzzz'),
      'half a packet': usual.subarray(0, -6),
      'no end': usual.subarray(0, -4),
      'more behind the end': whole(usual, flushPacket),
      'two marks': whole('command=fetch', delimiter, delimiter, flushPacket),
      'no command': whole('agent=git/2', delimiter, flushPacket),
      'two commands': whole('command=fetch', 'command=ls-refs', delimiter, flushPacket),
      'another command': whole('command=object-info', delimiter, flushPacket),
      'another kind of ids': whole('command=fetch', 'object-format=sha256', delimiter, flushPacket),
      'an unknown word about the client': whole('command=fetch', 'x=1', delimiter, flushPacket),
      'an unknown wish': second('everything'),
      'an empty line': whole('command=fetch', delimiter, Buffer.from('0004'), flushPacket),
      'a word said twice': second('done', 'done'),
      'more behind an id': second(`have ${oid('a')} `),
      'an id in capitals': second(`want ${oid('A')}`),
      'a line feed in a line': second(`want ${oid('a')}\n`),
      'a filter with a line feed': second('filter blob:none\nx'),
      'no number': second('deepen x'),
      'a long line': second(`filter ${'x'.repeat(5000)}`),
      'a wish of a listing': second('peel'),
      'an end of an answer': whole('command=fetch', Buffer.from('0002')),
      'nothing but ends': Buffer.alloc(400, '0'),
    };
    for (const [what, body] of Object.entries(seconds)) await assert.rejects(readFetch(body), UnfitRequest, what);
    const want = `want ${oid('a')}`;
    const before: Readonly<Record<string, Buffer>> = {
      'a request of version 2': usual,
      'a depth before the wants': whole('deepen 1', want, flushPacket),
      'a have among the wants': whole(want, `have ${oid('b')}`, flushPacket),
      'capabilities behind a later want': whole(want, `want ${oid('b')} thin-pack`, flushPacket),
      'more behind the last word': whole(want, flushPacket, 'done', flushPacket),
      'more behind an end': whole(want, flushPacket, flushPacket, 'done'),
      'a mark of version 2': whole(want, delimiter),
      'nothing but ends': Buffer.alloc(400, '0'),
    };
    for (const [what, body] of Object.entries(before)) await assert.rejects(readFetch(body, 0), UnfitRequest, what);
  });

  it('lets others work while it is read, however long it is', async () => {
    const haves = Array.from({ length: 200_000 }, (_, n) => `have ${n.toString(16).padStart(40, '0')}`);
    const said = Buffer.concat(lines([`want ${oid('a')}`, ...haves, 'done']));
    const body = whole('command=fetch', ...ability, delimiter, said, flushPacket);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const begun = performance.now();
    const { bytes } = await readFetch(body);
    const took = performance.now() - begun;
    clearInterval(timer);
    assert.ok(turns >= Math.floor(took / 30), `${turns} turns in ${took} ms`);
    assert.equal(bytes.length, body.length - lengthOfLineFeeds(haves.length) - lengthOfAgent);
  });
});

const lines = (texts: readonly string[]): Buffer[] => texts.map((text) => encodePacket(`${text}\n`));

const whole = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => (typeof part === 'string' ? lines([part]) : [part])));

const oid = (digit: string): string => digit.repeat(40);

const second = (...args: readonly string[]): Buffer =>
  whole('command=fetch', ...ability, delimiter, ...args, flushPacket);

const listing = (...args: readonly string[]): Buffer =>
  whole('command=ls-refs', ...ability, delimiter, ...args, flushPacket);

const lengthOfLineFeeds = (haves: number): number => haves + 4;
const lengthOfAgent = encodePacket('agent=git/2.39.5\n').length;

async function readFetch(body: Buffer, version: ProtocolVersion = 2): Promise<FetchRequest> {
  const read = await readUploadRequest(body, version);
  assert.ok(read.command === 'fetch');
  return read;
}
