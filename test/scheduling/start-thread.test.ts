import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findThreadProgram } from '../../lib/scheduling/start-thread.js';

describe('The program of a thread', () => {
  let folder: string;
  let compiled: string;
  let bundle: string;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cartulary-thread-')) + path.sep;
    compiled = path.join(folder, 'lib', 'room', 'inner', 'worker.js');
    bundle = path.join(folder, 'program', 'lib-room-inner-worker.js');
    for (const file of [compiled, bundle]) {
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, '');
    }
  });

  afterEach(() => fs.rmSync(folder, { recursive: true }));

  it('is its bundle, which is newer than the compiled file or as old', () => {
    date(compiled, 1_000_000_000);
    for (const seconds of [1_000_000_000, 1_000_000_001]) {
      date(bundle, seconds);
      assert.equal(find(), pathToFileURL(bundle).href);
    }
  });

  it('is the compiled file where the compiler has run since', () => {
    date(bundle, 1_000_000_000);
    date(compiled, 1_000_000_001);
    assert.equal(find(), pathToFileURL(compiled).href);
  });

  it('is the compiled file where there is no bundle', () => {
    fs.rmSync(path.dirname(bundle), { recursive: true });
    assert.equal(find(), pathToFileURL(compiled).href);
  });

  const date = (file: string, seconds: number): void => fs.utimesSync(file, seconds, seconds);

  const find = (): string => findThreadProgram(pathToFileURL(compiled), folder).href;
});
