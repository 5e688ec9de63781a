import assert from 'node:assert/strict';
import { cutAddress } from '../../lib/limits/cut-address.js';

describe('An address, as it is counted', () => {
  it('is one of the fourth version as it is, however it is written', () => {
    for (const written of ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7']) {
      assert.equal(cutAddress(written), '203.0.113.7');
    }
  });

  it('is the network of 2^64 addresses of one of the sixth version', () => {
    const own = [
      '2001:db8:1:2::1',
      '2001:DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:0db8:0001:0002::',
      '2001:db8:1:2::192.0.2.1',
    ];
    for (const written of own) assert.equal(cutAddress(written), '2001:db8:1:2::/64');
    assert.equal(cutAddress('2001:db8:1:3::1'), '2001:db8:1:3::/64');
    assert.equal(cutAddress('2001:db8::1'), '2001:db8:0:0::/64');
    assert.equal(cutAddress('::1'), '0:0:0:0::/64');
    assert.equal(cutAddress('fe80::1%eth0'), 'fe80:0:0:0::/64');
    assert.equal(cutAddress('fe80::2%eth1'), 'fe80:0:0:0::/64');
    assert.equal(cutAddress('::1:2:3:4:5:6:7'), '0:1:2:3::/64');
  });

  it('is left as it is where it is none', () => {
    for (const text of ['', 'unknown', '2001:db8::1::2', '203.0.113.7:443', ':::'])
      assert.equal(cutAddress(text), text);
  });
});
