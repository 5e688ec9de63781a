import assert from 'node:assert/strict';
import { formatTable } from '../../bin/table.js';

const columns = ['id', 'message', 'at', 'ended'];
const long = 'A message of many words that no terminal shows in one line';
const rows = [
  ['prn_13jrac9t4texfcfd685f', `${long}\n\nwith a body`, '2026-11-22T10:09:08.765Z', '-'],
  ['prn_p7t5fb9d74w8nc7drvma', 'Short', '2026-11-22T10:09:09.000Z', '-'],
];

describe('a table of the command line', () => {
  it('is whole in a file, with the first line of each text', () => {
    const lines = formatTable(columns, rows, undefined)?.split('\n') ?? [];
    assert.deepEqual(
      lines.map((line) => line.split(/ {2,}/)),
      [columns, [rows[0]?.[0], `${long} …`, rows[0]?.[2], '-'], [rows[1]?.[0], 'Short', rows[1]?.[2], '-']],
    );
  });

  it('fits a terminal, with whole ids, short times and no empty column', () => {
    const lines = formatTable(columns, rows, 80)?.split('\n') ?? [];
    assert.ok(Math.max(...lines.map((line) => line.length)) <= 80, lines.join('\n'));
    assert.match(lines[0] ?? '', /^id +message +at$/);
    assert.match(lines[1] ?? '', /^prn_13jrac9t4texfcfd685f {2}A message of .*… {2}2026-11-22 10:09$/);
    assert.match(lines[2] ?? '', /^prn_p7t5fb9d74w8nc7drvma {2}Short +2026-11-22 10:09$/);
  });

  it('is none where even its narrowest form does not fit', () => {
    assert.equal(formatTable(columns, rows, 40), undefined);
  });

  it('shows nothing that a terminal would obey', () => {
    const table = formatTable(['name'], [['a\u001b[2Jb\rc\tx']], 80) ?? '';
    assert.doesNotMatch(table, /[\u001b\r]/);
  });
});
