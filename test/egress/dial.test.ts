import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { dial } from '../../lib/egress/dial.js';
import { assertFault } from '../support/connectors/assert-fault.js';

describe('A connection to the outside', () => {
  let server: Server;
  let port: number;
  let taken: Socket[];

  beforeEach(async () => {
    taken = [];
    server = createServer((socket) => taken.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  afterEach(async () => {
    for (const socket of taken) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const nothing = { hosts: [] };

  it('is refused to this machine under every name it has, and the sentence names the setting', async () => {
    const names = [
      '127.0.0.1',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '0',
      '[::ffff:7f00:1]',
      '::1',
      'localhost',
      'LOCALHOST.',
    ];
    for (const name of names)
      await assertFault(dial(name, port, { allowance: nothing }), 'denied_egress', /the setting connector_hosts\.$/);
    assert.equal(taken.length, 0);
  });

  it('is refused to the address where clouds hand out their credentials', async () => {
    await assertFault(dial('169.254.169.254', 80, { allowance: nothing }), 'denied_egress', /"169\.254\.169\.254:80"/);
    await assertFault(dial('[fd00:ec2::254]', 80, { allowance: nothing }), 'denied_egress', /"\[fd00:ec2::254\]:80"/);
  });

  it('is refused to a name of which one address is not public, without saying which', async () => {
    const resolve = resolvesTo('93.184.216.34', '127.0.0.1');
    const promise = dial('mixed.example', port, { allowance: nothing, resolve });
    await assertFault(promise, 'denied_egress', /^(?!.*127\.0\.0\.1).*"mixed\.example:\d+"/);
    assert.equal(taken.length, 0);
  });

  it('is made where the operator allows exactly this host and port', async () => {
    const socket = await dial('127.0.0.1', port, allowed('127.0.0.1'));
    assert.equal(socket.remotePort, port);
    socket.destroy();
    (await dial('Files.Intern', port, { ...allowed('files.intern.'), resolve: resolvesTo('127.0.0.1') })).destroy();
    await assertFault(dial('127.0.0.1', port, allowed('127.0.0.2', 'localhost')), 'denied_egress', /connector_hosts/);
    await assertFault(
      dial('127.0.0.1', port, { allowance: { hosts: [`127.0.0.1:${port + 1}`, '127.0.0.1', ''] } }),
      'denied_egress',
      /connector_hosts/,
    );
  });

  it('resolves a name once, so a name that changes its address gains nothing', async () => {
    const answers = [['93.184.216.34'], ['127.0.0.1']];
    let asked = 0;
    const resolve = async (): Promise<string[]> => Promise.resolve(answers[asked++] ?? []);
    const abort = new AbortController();
    // The first address is public, and nothing here leads to it: only that the other one is not taken counts.
    const promise = dial('rebinding.example', port, { allowance: nothing, resolve, signal: abort.signal });
    await Promise.resolve();
    abort.abort(new Error('enough'));
    await assert.rejects(promise, /enough/);
    assert.equal(asked, 1);
    assert.equal(taken.length, 0);
  });

  it('tries the next address when one does not answer', async () => {
    const resolve = resolvesTo('127.0.0.2', '127.0.0.1');
    const socket = await dial('two.intern', port, { ...allowed('two.intern'), resolve });
    assert.equal(socket.remoteAddress, '127.0.0.1');
    socket.destroy();
  });

  it('ends when it is aborted while the name is resolved', async () => {
    const abort = new AbortController();
    const resolve = async (): Promise<string[]> => new Promise(() => undefined);
    const promise = dial('slow.example', port, { allowance: nothing, resolve, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await assert.rejects(promise, /cancelled/);
  });

  it('fails in words when the name has no address, or no server listens', async () => {
    const none = { allowance: nothing, resolve: resolvesTo() };
    await assertFault(dial('empty.example', port, none), 'network', /empty\.example has no address/);
    const unknown = { allowance: nothing, resolve: async () => Promise.reject(new Error('ENOTFOUND')) };
    await assertFault(dial('absent.example', port, unknown), 'network', /absent\.example cannot be resolved/);
    await assertFault(dial('h/x', port, { allowance: nothing }), 'denied_egress', /names no host/);
    const means = { ...allowed('127.0.0.2') };
    await assertFault(dial('127.0.0.2', port, means), 'network', /does not take connections/);
  });

  const allowed = (...hosts: string[]) => ({ allowance: { hosts: hosts.map((host) => `${host}:${port}`) } });

  const resolvesTo =
    (...addresses: string[]) =>
    async () =>
      Promise.resolve(addresses);
});
