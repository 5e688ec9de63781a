import assert from 'node:assert/strict';
import type { CommandLine } from '../../lib/commands/command.js';
import { runCommand } from '../../lib/commands/carrier/run-command.js';
import { Actor } from '../support/store/actor.js';
import { openTestService, operator, type TestService } from '../support/store/service.js';
import { liveDocuments } from '../support/store/erase-at.js';

describe('a command whose client goes away, or whose server stops,', () => {
  let test: TestService;
  let interrupted: AbortController;
  let faults: string[];
  let told: unknown[];

  beforeEach(async () => {
    test = await openTestService();
    interrupted = new AbortController();
    faults = [];
    told = [];
  });
  afterEach(() => test.close());

  it('reports that an erase was accepted and goes on, and how to follow it', async () => {
    const actor = new Actor(test.workspace, operator.principalId);
    const { id: document } = await actor.create('plan.md');
    await actor.create('other.md');
    const line = await run('erase', { location: 'plan.md', confirmation: 'plan.md', document }, /accepted/);
    assert.ok('error' in line, JSON.stringify(line));
    const [receipt] = test.workspace.journal.reader.erasures.list(Number.MAX_SAFE_INTEGER, 1);
    assert.ok(receipt !== undefined);
    const { code, message } = line.error;
    assert.equal(code, 'UNAVAILABLE');
    for (const said of [receipt.id, /accepted/, /goes on by itself/, /`cartulary erasures`/]) {
      assert.ok(
        typeof said === 'string' ? message.includes(said) : said.test(message),
        `${String(said)} in ${message}`,
      );
    }
    assert.doesNotMatch(message, /Access|Retry-After/);
    assert.match(JSON.stringify(told[0]), new RegExp(receipt.id));
    assert.deepEqual(faults, []);
    assert.equal((await test.workspace.eraser.finished(receipt.id)).phase, 'final');
    assert.deepEqual(Object.keys(await liveDocuments(test.workspace)), ['other.md']);
  });

  it('is no fault of the service: an interrupted export of the log', async () => {
    const actor = new Actor(test.workspace, operator.principalId);
    for (let index = 0; index < 300; index += 1) await actor.list();
    const line = await run('audit.export', {}, /lines/);
    assert.deepEqual(line, { error: { code: 'UNAVAILABLE', message: 'The command was interrupted.' } });
    assert.equal(told.length, 1);
    assert.deepEqual(faults, []);
  });

  /** @param until interrupts when the output matches */
  function run(command: string, fields: Readonly<Record<string, unknown>>, until: RegExp): Promise<CommandLine> {
    return runCommand(
      { command, fields },
      {
        host: test.service,
        server: null,
        address: 'http://127.0.0.1:1',
        onFault: (what) => void faults.push(what),
        signal: interrupted.signal,
        onProgress: async (progress) => {
          told.push(progress);
          if (until.test(JSON.stringify(progress))) interrupted.abort();
        },
      },
    );
  }
});
