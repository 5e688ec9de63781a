import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, makeFolder, serve, tidyUp, type RunningProgram, patience } from './run-program.js';

interface Line {
  readonly progress?: unknown;
  readonly result?: { readonly created?: number };
  readonly error?: { readonly code: string; readonly details?: { readonly reason: string } };
}

describe('the socket', function () {
  this.timeout(patience);

  let data: string;
  let server: RunningProgram;

  before(async () => {
    data = join(await makeFolder(), 'data');
    server = await serve(data);
    await ask('init', '--data', data, '--workspace', 'acme', '--admin', 'Ada');
  });
  after(async () => {
    await server.stop();
    await tidyUp();
  });

  /** Sends text and gathers the lines that come back until the server closes. */
  async function send(text: string): Promise<Line[]> {
    const socket = connect(join(data, 'cartulary.sock'));
    socket.write(text);
    let answer = '';
    for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) answer += piece;
    return answer
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  }

  it('takes one line of JSON and answers in lines of JSON, the last one the result or the error', async () => {
    const source = join(await makeFolder(), 'source');
    await mkdir(source);
    for (let index = 0; index < 600; index += 1) await writeFile(join(source, `${index}.md`), `${index}`);
    const fields = { directory: source, into: 'imported' };
    const lines = await send(`${JSON.stringify({ command: 'import', workspace: 'acme', fields })}\n`);
    assert.deepEqual(lines.pop()?.result?.created, 600);
    for (const line of lines) assert.deepEqual(Object.keys(line), ['progress']);

    const [refused] = await send(`${JSON.stringify({ command: 'principal.disable', fields: { principal: 'x' } })}\n`);
    assert.equal(refused?.error?.code, 'NOT_FOUND');
    const [unknown] = await send(`${JSON.stringify({ command: 'toString', fields: {} })}\n`);
    assert.equal(unknown?.error?.details?.reason, 'unknown_command');
  });

  it('closes on what is no request, and goes on serving', async () => {
    for (const text of ['nonsense\n', 'null\n', '[]\n', '{"command":1,"fields":{}}\n', `"${'x'.repeat(1_100_000)}`]) {
      assert.deepEqual(await send(text).catch(() => []), [], text.slice(0, 40));
    }
    const { items } = await ask<{ items: unknown[] }>('principal', 'list', '--data', data);
    assert.equal(items.length, 2);
  });

  it('stops an import whose asker went away', async () => {
    const source = join(await makeFolder(), 'source');
    await mkdir(source);
    const names = Array.from({ length: 4000 }, (_, index) => `${index}.md`);
    for (let start = 0; start < names.length; start += 500) {
      await Promise.all(names.slice(start, start + 500).map((name) => writeFile(join(source, name), name.repeat(200))));
    }
    const fields = { directory: source, into: 'abandoned' };
    const socket = connect(join(data, 'cartulary.sock'));
    socket.write(`${JSON.stringify({ command: 'import', fields })}\n`);
    // The first progress is told while it is under way.
    for await (const _ of socket) break;
    socket.destroy();
    interface Status {
      readonly workspaces: readonly [{ readonly documents: number }];
    }
    const count = async (): Promise<number> => (await ask<Status>('status', '--data', data)).workspaces[0].documents;
    let [before, now] = [-1, await count()];
    while (before !== now) {
      await delay(300);
      [before, now] = [now, await count()];
    }
    assert.ok(now > 600 && now < names.length, `${now} documents`);
  });
});
