import assert from 'node:assert/strict';
import { judgeSpace } from '../../lib/commands/operator/diagnose.js';

const mebibyte = 1024 * 1024;

describe('what doctor says of the disk', () => {
  it('promises reads only while their records find room', () => {
    assert.equal(remedyOf(1024 * mebibyte), '');
    assert.match(remedyOf(64 * mebibyte), /^Make room soon: below 64\.0 MiB \(disk_reserve\) writes are refused\.$/);
    assert.match(remedyOf(63 * mebibyte), /^Make room: below 64\.0 MiB .* Reads go on\.$/);
    assert.match(remedyOf(0), /^Make room: writes are refused, and reads too/);
  });

  it('heeds a reserve that is larger than what else is little', () => {
    const total = 64 * 1024 * mebibyte;
    assert.match(remedyOf(2048 * mebibyte, total, 4096 * mebibyte), /^Make room: below 4\.0 GiB /);
  });

  it('names an eighth of a small disk, below which writes are refused there', () => {
    assert.match(remedyOf(20 * mebibyte, 80 * mebibyte), /^Make room soon: below 10\.0 MiB /);
    assert.match(remedyOf(9 * mebibyte, 80 * mebibyte), /^Make room: below 10\.0 MiB /);
  });

  const remedyOf = (free: number, total = 4096 * mebibyte, asked = 64 * mebibyte): string =>
    judgeSpace({ free, total }, asked).remedy ?? '';
});
