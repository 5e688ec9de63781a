import assert from 'node:assert/strict';
import { PacketReader } from '../../lib/git/serving/packet-reader.js';
import { encodePacket, flushPacket, MalformedPacket } from '../../lib/git/serving/packets.js';
import {
  advertiseReceivePack,
  BadPush,
  readPushRequest,
  reportStatus,
  type PushRequest,
} from '../../lib/git/serving/receive-pack.js';
import { gather, piecesOf } from '../support/git/fixture.js';

describe('The protocol of pushes', () => {
  it('reads the commands, how the client wants to be answered, and leaves the pack', async () => {
    const text = Buffer.concat([
      encodePacket(
        command('refs/heads/main', ' report-status-v2 side-band-64k quiet object-format=sha1 agent=git/2.39.5'),
      ),
      encodePacket(`${oid('0')} ${oid('c')} refs/heads/with space`),
      encodePacket(`${oid('c')} ${oid('0')} refs/tags/v1\n`),
      flushPacket,
      Buffer.from('PACK and more'),
    ]);
    for (const cut of [1, 7, 100, text.length]) {
      const pieces = [];
      for (let at = 0; at < text.length; at += cut) pieces.push(text.subarray(at, at + cut));
      const reader = new PacketReader(piecesOf(...pieces));
      const { commands, form } = await readPushRequest(reader);
      assert.deepEqual(form, { hasReport: true, hasBands: true, isQuiet: true });
      assert.deepEqual(commands, [
        { before: oid('a'), after: oid('b'), ref: 'refs/heads/main' },
        { before: null, after: oid('c'), ref: 'refs/heads/with space' },
        { before: oid('c'), after: null, ref: 'refs/tags/v1' },
      ]);
      assert.equal((await gather(reader.following())).toString(), 'PACK and more');
    }
  });

  it('passes over what a shallow clone says of itself, up to a bound', async () => {
    const shallow = encodePacket(`shallow ${oid('d')}`);
    assert.equal((await read(shallow, shallow, encodePacket(command()), flushPacket)).commands.length, 1);
    await refuses(/whole history/, ...Array.from({ length: 1001 }, () => shallow), flushPacket);
  });

  it('takes an empty request for a try', async () => {
    assert.deepEqual((await read(flushPacket)).commands, []);
  });

  it('refuses what is no push, with a sentence', async () => {
    await refuses(/ends within/, encodePacket(command()));
    await refuses(/ends within/);
    await refuses(/special packet/, '0001');
    await refuses(/form/, encodePacket('hello'), flushPacket);
    await refuses(/form/, encodePacket(`${oid('a')} ${oid('B')} refs/heads/main`), flushPacket);
    await refuses(/form/, encodePacket(`${oid('a')} ${oid('b')} `), flushPacket);
    await refuses(/form/, encodePacket(command(`refs/heads/${'x'.repeat(2000)}`)), flushPacket);
    await refuses(/Signed/, encodePacket('push-cert\0 report-status'), flushPacket);
    await refuses(
      /first command/,
      encodePacket(command()),
      encodePacket(command('refs/heads/x', 'quiet')),
      flushPacket,
    );
    await refuses(/too many capabilities/, encodePacket(command('refs/heads/main', 'x'.repeat(5000))), flushPacket);
    await refuses(/SHA-1/, encodePacket(command('refs/heads/main', 'object-format=sha256')), flushPacket);
    await refuses(/atomic/, encodePacket(command('refs/heads/main', 'report-status atomic')), flushPacket);
    await refuses(/push-options/, encodePacket(command('refs/heads/main', 'push-options')), flushPacket);
    await assert.rejects(read('00zz'), MalformedPacket);
    await assert.rejects(read('0003'), MalformedPacket);
    await assert.rejects(read('ffff'), MalformedPacket);
    await assert.rejects(read('00'), MalformedPacket);
    await assert.rejects(read('0099 too short'), MalformedPacket);
  });

  it('reads no more commands than it takes', async () => {
    let taken = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        taken += 1;
        yield encodePacket(command(`refs/heads/${taken}`));
      }
    }
    await assert.rejects(readPushRequest(new PacketReader(endless())), BadPush);
    assert.equal(taken, 101);
  });

  it('reports in the form that the client asked for, and in lines that nothing can break', () => {
    const outcomes = [
      { ref: 'refs/heads/main', refused: null },
      { ref: 'refs/tags/v1', refused: 'no\n0000ok refs/tags/v1' },
    ];
    const form = { hasReport: true, hasBands: false, isQuiet: false } as const;
    const plain = reportStatus(form, null, outcomes).toString();
    assert.equal(plain, '000eunpack ok\n0017ok refs/heads/main\n002bng refs/tags/v1 no 0000ok refs/tags/v1\n0000');
    assert.match(reportStatus(form, 'bad\npack', outcomes).toString(), /unpack bad pack\n/);
    assert.equal(reportStatus({ ...form, hasReport: false }, null, outcomes).length, 0);
    const banded = reportStatus({ ...form, hasBands: true }, null, outcomes).toString();
    assert.equal(banded.slice(4), `\x01${plain}0000`);
  });

  it('offers main alone, also in an empty repository', () => {
    assert.match(
      advertiseReceivePack(oid('a')).toString(),
      /^[0-9a-f]{4}a{40} refs\/heads\/main\0report-status .*\n0000$/,
    );
    assert.match(
      advertiseReceivePack(null).toString(),
      /^[0-9a-f]{4}0{40} capabilities\^\{\}\0report-status .*\n0000$/,
    );
  });

  const read = (...pieces: (string | Uint8Array)[]): Promise<PushRequest> =>
    readPushRequest(new PacketReader(piecesOf(...pieces)));

  const refuses = (said: RegExp, ...pieces: (string | Uint8Array)[]): Promise<void> =>
    assert.rejects(read(...pieces), (error: unknown) => error instanceof BadPush && said.test(error.message));
});

const oid = (digit: string): string => digit.repeat(40);

const command = (ref = 'refs/heads/main', capabilities = ''): string =>
  `${oid('a')} ${oid('b')} ${ref}${capabilities === '' ? '' : `\0${capabilities}`}`;
