import assert from 'node:assert/strict';
import { linkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../support/until.js';
import { ask, makeFolder, serve, tidyUp, type RunningProgram, timeout } from '../support/processes/run-program.js';

describe('the socket', function () {
  this.timeout(timeout);

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

  it('takes one line of JSON and answers in lines of JSON, the last one the result or the error', async () => {
    const directory = await fill(join(await makeFolder(), 'source'), 600);
    const fields = { directory, into: 'imported' };
    const lines = await send(`${JSON.stringify({ command: 'import', workspace: 'acme', fields })}\n`);
    assert.deepEqual(lines.pop()?.result?.created, 600);
    for (const line of lines) assert.deepEqual(Object.keys(line), ['progress']);

    const [refused] = await send(`${JSON.stringify({ command: 'principal.disable', fields: { principal: 'x' } })}\n`);
    assert.equal(refused?.error?.code, 'NOT_FOUND');
    const [unknown] = await send(`${JSON.stringify({ command: 'toString', fields: {} })}\n`);
    assert.equal(unknown?.error?.details?.reason, 'unknown_command');
  });

  it('closes on an invalid request, and continues to serve', async () => {
    for (const text of ['nonsense\n', 'null\n', '[]\n', '{"command":1,"fields":{}}\n', `"${'x'.repeat(1_100_000)}`]) {
      assert.deepEqual(await send(text).catch(() => []), [], text.slice(0, 40));
    }
    const { items } = await ask<{ items: unknown[] }>('principal', 'list', '--data', data);
    assert.equal(items.length, 1);
  });

  it('stops an import whose client went away', async () => {
    const folder = await makeFolder();
    // One file by many names: far more than comes in between the first progress and the end of its asker.
    const many = 16_000;
    const directory = await fill(join(folder, 'many'), 1);
    for (let index = 1; index < many; index += 1) linkSync(join(directory, '0.md'), join(directory, `${index}.md`));
    const few = 300;
    const others = await fill(join(folder, 'few'), few);
    const before = await countDocuments();
    const fields = { directory, into: 'abandoned' };
    const socket = connect(join(data, 'cartulary.sock'));
    socket.write(`${JSON.stringify({ command: 'import', fields })}\n`);
    // Progress is also reported while the files are counted, before any comes in.
    let told = '';
    for await (const piece of socket.setEncoding('utf8') as AsyncIterable<string>) {
      told += piece;
      if (/"created":[1-9]/.test(told)) break;
    }
    socket.destroy();
    // It has stopped when others come in by the same way and nothing else does.
    let rounds = 0;
    const comesInAlone = async (): Promise<boolean> => {
      const now = await countDocuments();
      const into = `others-${rounds}`;
      rounds += 1;
      await send(`${JSON.stringify({ command: 'import', fields: { directory: others, into } })}\n`);
      return (await countDocuments()) === now + few;
    };
    await until('nothing of it comes in any more', comesInAlone, timeout);
    const abandoned = (await countDocuments()) - before - rounds * few;
    assert.ok(abandoned > 0 && abandoned < many, `${abandoned} documents came in`);
  });

  /** Sends text and gathers the returned lines until the server closes. */
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

  /** Makes a folder with so many files. */
  async function fill(folder: string, files: number): Promise<string> {
    await mkdir(folder);
    for (let index = 0; index < files; index += 1) await writeFile(join(folder, `${index}.md`), `${index}`);
    return folder;
  }

  interface Status {
    readonly workspaces: readonly [{ readonly documents: number }];
  }

  async function countDocuments(): Promise<number> {
    return (await ask<Status>('status', '--data', data)).workspaces[0].documents;
  }
});

interface Line {
  readonly progress?: unknown;
  readonly result?: { readonly created?: number };
  readonly error?: { readonly code: string; readonly details?: { readonly reason: string } };
}
