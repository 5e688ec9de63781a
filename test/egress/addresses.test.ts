import assert from 'node:assert/strict';
import { normalizeHost, parseHostAndPort } from '../../lib/egress/host-and-port.js';
import { isPublicAddress } from '../../lib/egress/is-public-address.js';

/**
 * IANA's registries of special-purpose addresses, IPv4 and IPv6, with an address at each end of each block. Beside
 * them stand the blocks of multicast, and those of IPv6 that were never given out.
 */
const special: Readonly<Record<string, readonly string[]>> = {
  'this network (0.0.0.0/8)': ['0.0.0.0', '0.0.0.1', '0.255.255.255'],
  'private (10.0.0.0/8)': ['10.0.0.0', '10.255.255.255'],
  'shared (100.64.0.0/10)': ['100.64.0.0', '100.127.255.255'],
  'loopback (127.0.0.0/8)': ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  'link-local (169.254.0.0/16)': ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  'private (172.16.0.0/12)': ['172.16.0.0', '172.31.255.255'],
  'protocol assignments (192.0.0.0/24)': ['192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.255'],
  'documentation (192.0.2.0/24)': ['192.0.2.0', '192.0.2.255'],
  'AS112 (192.31.196.0/24)': ['192.31.196.0', '192.31.196.255'],
  'AMT (192.52.193.0/24)': ['192.52.193.0', '192.52.193.255'],
  '6to4 relays (192.88.99.0/24)': ['192.88.99.0', '192.88.99.255'],
  'private (192.168.0.0/16)': ['192.168.0.0', '192.168.255.255'],
  'AS112 delegation (192.175.48.0/24)': ['192.175.48.0', '192.175.48.255'],
  'benchmarking (198.18.0.0/15)': ['198.18.0.0', '198.19.255.255'],
  'documentation (198.51.100.0/24)': ['198.51.100.0', '198.51.100.255'],
  'documentation (203.0.113.0/24)': ['203.0.113.0', '203.0.113.255'],
  'multicast (224.0.0.0/4)': ['224.0.0.0', '239.255.255.255'],
  'reserved (240.0.0.0/4)': ['240.0.0.0', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
  'loopback (::1/128)': ['::1'],
  'unspecified (::/128)': ['::'],
  'compatible with IPv4 (::/96)': ['::127.0.0.1', '::8.8.8.8'],
  'mapped loopback and private (::ffff:0:0/96)': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
  ],
  'translated loopback (64:ff9b::/96)': ['64:ff9b::127.0.0.1', '64:ff9b::a00:1', '64:ff9b::a9fe:a9fe'],
  'local translation (64:ff9b:1::/48)': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  'stateless translation (::ffff:0:0:0/96)': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  'discard (100::/64)': ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::'],
  'protocol assignments (2001::/23)': ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'Teredo (2001::/32)': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'anycast of protocols (2001:1::/32)': ['2001:1::1', '2001:1::2', '2001:1::3'],
  'benchmarking (2001:2::/48)': ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  'AMT (2001:3::/32)': ['2001:3::1'],
  'AS112 (2001:4:112::/48)': ['2001:4:112::1'],
  'ORCHID (2001:10::/28, 2001:20::/28, 2001:30::/28)': ['2001:10::1', '2001:20::1', '2001:30::1'],
  'documentation (2001:db8::/32)': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '6to4 (2002::/16)': ['2002::', '2002:7f00:1::', '2002:808:808::1'],
  'AS112 delegation (2620:4f:8000::/48)': ['2620:4f:8000::1'],
  'documentation (3fff::/20)': ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'segment routing (5f00::/16)': ['5f00::1'],
  'unique local (fc00::/7)': ['fc00::', 'fd00:ec2::254', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'link-local (fe80::/10)': ['fe80::1', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe80::1%eth0'],
  'site-local (fec0::/10)': ['fec0::1'],
  'multicast (ff00::/8)': ['ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'never given out': ['1::', '200::1', '1fff:ffff::1', '4000::1', '8000::1', 'f000::1'],
};

const publicOnes = [
  '1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0',
  '198.17.255.255', '198.20.0.0', '223.255.255.255',
  '2000::1', '2001:200::1', '2001:4860:4860::8888', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700:4700::1111',
  '2a00::1', '3ffe::1', '3fff:1000::1', '::ffff:8.8.8.8', '64:ff9b::808:808',
]; // prettier-ignore

describe('Addresses of the public internet', () => {
  for (const [block, addresses] of Object.entries(special)) {
    it(`have none in ${block}`, () => {
      assert.deepEqual(addresses.filter(isPublicAddress), []);
    });
  }

  it('public addresses are all addresses outside the special blocks', () => {
    assert.deepEqual(
      publicOnes.filter((address) => !isPublicAddress(address)),
      [],
    );
  });

  it('are written in their usual form, and other forms are not public', () => {
    const odd = ['', '0x8.8.8.8', '134744072', '010.8.8.8', '8.8', '8.8.8.8.', ' 8.8.8.8', '[2003::1]', 'example.org'];
    assert.deepEqual(odd.filter(isPublicAddress), []);
  });
});

describe('A host', () => {
  it('that is a number in an odd form is that address', () => {
    const loopback = ['127.0.0.1', '0x7f.1', '2130706433', '017700000001', '0x7F000001', '127.1', '0177.0.0.01'];
    const others = ['127.0.0.1.', '%31%32%37.0.0.1', '１２７.0.0.1', '①②⑦.0.0.1', '127。0。0。1'];
    for (const text of [...loopback, ...others]) assert.equal(normalizeHost(text), '127.0.0.1', text);
    assert.equal(normalizeHost('0'), '0.0.0.0');
    assert.equal(normalizeHost('[::ffff:7f00:1]'), '::ffff:7f00:1');
    assert.equal(normalizeHost('[::FFFF:127.0.0.1]'), '::ffff:7f00:1');
    assert.equal(normalizeHost('0:0:0:0:0:0:0:1'), '::1');
  });

  it('that is a name is ASCII in small letters, without the dot at its end', () => {
    assert.equal(normalizeHost('LocalHost.'), 'localhost');
    assert.equal(normalizeHost('Bücher.example'), 'xn--bcher-kva.example');
    assert.equal(normalizeHost('ｌｏｃａｌｈｏｓｔ'), 'localhost');
  });

  it('malformed names and addresses are not a host', () => {
    const odd = ['', '.', '..', 'a..b', 'a b', 'a/b', 'u@h', 'h?x', 'h#x', 'h\\x', 'h:80', '[::1', '::1]', '[::1]:80'];
    const numbers = [
      '256.1.1.1',
      '1.2.3.4.5',
      'fe80::1%eth0',
      '[fe80::1%25eth0]',
      `${'a.'.repeat(127)}bb`,
      'h\n',
      'ex%00',
    ];
    for (const text of [...odd, ...numbers]) assert.equal(normalizeHost(text), undefined, JSON.stringify(text));
  });

  it('has a port from 1 to 65535', () => {
    assert.deepEqual(parseHostAndPort('Files.Example:443'), { host: 'files.example', port: 443 });
    assert.deepEqual(parseHostAndPort('[::1]:8080'), { host: '::1', port: 8080 });
    for (const text of ['h', 'h:', 'h:0', 'h:65536', 'h:+1', 'h:1e3', ':80', 'h:80:80', '*:80'])
      assert.equal(parseHostAndPort(text), undefined, text);
  });
});
