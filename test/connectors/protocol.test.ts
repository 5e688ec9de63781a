import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { maxLineLength, prepareReader } from '../../lib/connectors/program/program-messages.js';
import { makeProgramKind } from '../../lib/connectors/program/program-kind.js';
import { LineSplitter, LineTooLong } from '../../lib/connectors/program/split-lines.js';
import { until } from '../support/until.js';
import { Feed } from './feed.js';
import { Follower, meansOf, readWhole } from './follow.js';
import { Dice } from './random-changes.js';

const root = new URL('../../../', import.meta.url);

describe('the connector protocol', () => {
  let isToProgram: ValidateFunction;
  let isFromProgram: ValidateFunction;
  let types: string[];

  before(async () => {
    const text = await readFile(pathOf('schema/connector-protocol.json'), 'utf8');
    const schema: { $id: string; $defs: Record<string, { oneOf: { $ref: string }[] }> } = JSON.parse(text);
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, discriminator: true });
    ajv.addSchema(schema);
    const prepare = (name: string): ValidateFunction => {
      const found = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
      assert.ok(found !== undefined);
      return found;
    };
    [isToProgram, isFromProgram] = [prepare('to_program'), prepare('from_program')];
    types = ['to_program', 'from_program'].flatMap((name) =>
      (schema.$defs[name]?.oneOf ?? []).map(({ $ref }) => $ref.split('/').at(-1) ?? ''),
    );
  });

  it('has no version without a character, and no entry that is skipped because it cannot be read', () => {
    const line = (entry: object): string => JSON.stringify({ type: 'entries', id: 1, entries: [entry] });
    const skipped = { type: 'skipped', path: 'a.md', version: '1', reason: 'special_file' };
    requireValid(isFromProgram, line(skipped));
    assert.ok(!isFromProgram(JSON.parse(line({ ...skipped, reason: 'unreadable' }))));
    assert.ok(!isFromProgram(JSON.parse(line({ ...skipped, version: '' }))));
    assert.ok(!isFromProgram(JSON.parse(line({ type: 'file', path: 'a.md', version: '' }))));
  });

  function requireValid(check: ValidateFunction, line: string): void {
    assert.ok(check(JSON.parse(line)), `${line}: ${JSON.stringify(check.errors)}`);
  }

  it('is spoken as described by the service and by the example', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartulary-protocol-'));
    const feed = new Feed();
    const url = await feed.listen();
    feed.put('a.md', Buffer.from('a'));
    feed.put('b.md', Buffer.alloc(500_000));
    const overheard = `tee asked | "$1" "$2" "$3" | tee answered`;
    const example = [process.execPath, pathOf('lib/docs/examples/mirror-feed.mjs'), new URL(url).origin];
    const command = ['/bin/sh', '-c', overheard, 'sh', ...example];
    const signal = new AbortController().signal;
    const means = meansOf({ allowance: { programs: { feed: command } } }, folder);
    const source = await makeProgramKind().open({ program: 'feed', settings: { feed: url } }, feed.token, means);
    await source.check(signal);
    const follower = new Follower();
    await follower.follow(source, signal);
    await source.probe(follower.cursor ?? '', signal);
    for (const file of follower.files.values()) await readWhole(source, file, signal);
    await assert.rejects(readWhole(source, { type: 'file', path: 'b.md', version: 'old', size: 1 }, signal));
    for (const file of follower.files.values()) await assert.rejects(readWhole(source, file, signal, 0));
    await until('the request is cancelled', async () =>
      (await readFile(join(folder, 'answered'), 'utf8')).includes('cancelled'),
    );
    await source.close();
    await feed.close();
    const seen = new Set<string>();
    for (const [name, check] of Object.entries({ asked: isToProgram, answered: isFromProgram })) {
      const lines = (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line !== '');
      for (const line of lines) {
        requireValid(check, line);
        seen.add(JSON.parse(line).type);
      }
    }
    await rm(folder, { recursive: true });
    assert.deepEqual(
      types.filter((type) => !seen.has(type)),
      ['fault'],
    );
  });

  it('has a page whose every message is valid, and which names every message', async () => {
    const page = await readFile(pathOf('lib/docs/connector-protocol.md'), 'utf8');
    for (const type of types) assert.ok(page.includes(`\`${type}\``), `the page does not name ${type}`);
    const blocks = [...page.matchAll(/```text\n([^`]*)```/g)].map(([, block = '']) => block);
    const lines = blocks.flatMap((block) => block.split('\n')).filter((line) => /^[<>] /.test(line));
    assert.ok(lines.length > 10);
    for (const line of lines) requireValid(line.startsWith('>') ? isToProgram : isFromProgram, line.slice(2));
  });

  it('reads random bytes as faults, and never as anything else', async () => {
    const read = await prepareReader();
    const dice = new Dice('protocol');
    const valid = '{"type":"entries","id":3,"entries":[{"type":"file","path":"a","version":"1","size":5}]}';
    assert.notEqual(typeof read(Buffer.from(valid)), 'string');
    for (let round = 0; round < 3000; round += 1) {
      const line = Buffer.from(valid);
      for (let change = 0; change < 1 + dice.roll(3); change += 1) line[dice.roll(line.length)] = dice.roll(256);
      const message = read(line);
      if (typeof message === 'string') assert.match(message, /^(is|has|of) /);
      else assert.ok(isFromProgram(message));
    }
    // Nested so deeply that a parser by recursion would fail.
    assert.equal(typeof read(Buffer.alloc(maxLineLength, '[')), 'string');
    assert.equal(typeof read(Buffer.from(`${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`)), 'string');
  });

  it('cuts lines wherever the pieces end, and keeps no more than one', () => {
    const dice = new Dice('lines');
    for (let round = 0; round < 200; round += 1) {
      const lines = Array.from({ length: dice.roll(8) }, () => dice.bytes(dice.roll(30)).toString('hex'));
      const stream = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const splitter = new LineSplitter(60);
      const found: string[] = [];
      for (let at = 0; at < stream.length;) {
        const end = at + 1 + dice.roll(40);
        for (const line of splitter.split(stream.subarray(at, end))) found.push(String(line));
        at = end;
      }
      assert.deepEqual(found, lines);
    }
    const splitter = new LineSplitter(60);
    assert.equal(splitter.split(Buffer.alloc(60)).next().done, true);
    assert.throws(() => splitter.split(Buffer.alloc(1)).next(), LineTooLong);
  });
});

const pathOf = (place: string): string => fileURLToPath(new URL(place, root));
