import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import {
  encodeDirectoryEnd,
  encodeDirectoryRecord,
  encodeEntryEnd,
  encodeEntryStart,
} from '../../lib/api/answers/zip-headers.js';
import { hasProgram } from '../support/http/zip.js';
import { skipBecause } from '../support/skip.js';

const tell = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    print(json.dumps([[info.filename, info.file_size, info.header_offset, info.date_time] for info in archive.infolist()]))
    print(archive.read('last.md').decode())
`;

describe('the headers of a zip archive', () => {
  let folder: string;

  before(function () {
    if (!hasProgram('unzip', '-v')) skipBecause(this, 'unzip is not installed');
    if (!hasProgram('python3', '--version')) skipBecause(this, 'python3 is not installed');
    folder = mkdtempSync(join(tmpdir(), 'cartulary-zip-'));
  });
  after(() => folder && rmSync(folder, { recursive: true, force: true }));

  it('hold contents and places beyond four gigabytes', () => {
    const file = join(folder, 'large.zip');
    const at = Date.UTC(2026, 5, 7, 8, 9, 10);
    const long = 5 * 1024 ** 3;
    const text = Buffer.from('the last text\n');
    const entries = [
      { name: Buffer.from('long.bin'), at, isDeflated: false, isLong: true },
      { name: Buffer.from('last.md'), at, isDeflated: false, isLong: false },
    ] as const;
    // Nobody reads the long content, which is a hole in the file.
    const contents = [
      { crc: 0, size: long, compressed: long },
      { crc: crc32(text), size: text.length, compressed: text.length },
    ] as const;
    const starts: number[] = [];
    const handle = openSync(file, 'w');
    let end = 0;
    const write = (bytes: Buffer): void => void (end += writeSync(handle, bytes, 0, bytes.length, end));
    starts.push(end);
    write(encodeEntryStart(entries[0]));
    end += long;
    write(encodeEntryEnd(entries[0], contents[0]));
    starts.push(end);
    write(encodeEntryStart(entries[1]));
    write(text);
    write(encodeEntryEnd(entries[1], contents[1]));
    const offset = end;
    entries.forEach((entry, index) =>
      write(encodeDirectoryRecord(entry, contents[index as 0 | 1], starts[index] as number)),
    );
    write(encodeDirectoryEnd({ entries: 2, offset, length: end - offset }));
    closeSync(handle);
    const python = spawnSync('python3', ['-c', tell, file], { encoding: 'utf8' });
    assert.equal(python.status, 0, python.stderr);
    const [listed = '', read] = python.stdout.split('\n');
    const time = [2026, 6, 7, 8, 9, 10];
    assert.deepEqual(JSON.parse(listed), [
      ['long.bin', long, 0, time],
      ['last.md', text.length, starts[1], time],
    ]);
    assert.equal(read, text.toString().trim());
    const unzip = spawnSync('unzip', ['-tqq', file, 'last.md'], { encoding: 'utf8' });
    assert.equal(unzip.status, 0, unzip.stdout + unzip.stderr);
  });

  it('hold a time of the first and of the last day that they can hold, for times before and after', () => {
    const yearOf = (at: number): number => {
      const start = encodeEntryStart({ name: Buffer.from('a'), at, isDeflated: false, isLong: false });
      return 1980 + (start.readUInt16LE(12) >> 9);
    };
    assert.deepEqual(
      [Date.UTC(1970, 0, 1), Date.UTC(2026, 0, 1), Date.UTC(2200, 0, 1)].map(yearOf),
      [1980, 2026, 2107],
    );
  });
});
