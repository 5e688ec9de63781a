import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { ask, makeFolder, serve, tidyUp, timeout, type RunningProgram } from '../support/processes/run-program.js';
import { skipBecause } from '../support/skip.js';

const skillFile = 'lib/docs/skills/cartulary/SKILL.md';

describe('The examples of the manual', function () {
  this.timeout(2 * timeout);

  let server: RunningProgram & { readonly url: string };
  let key: string;
  let folder: string;

  before(async function () {
    if (spawnSync('curl', ['--version']).error !== undefined) skipBecause(this, 'curl is not on this machine');
    folder = await makeFolder();
    const data = ['--data', `${folder}/data`];
    await ask('init', '--workspace', 'main', '--admin', 'Ada', ...data);
    const minted = await ask<{ key: string }>('key', 'mint', '--principal', 'Ada', '--rest', '--mcp', ...data);
    key = minted.key;
    server = await serve(`${folder}/data`);
  });
  after(tidyUp);

  it('in the skill are calls of tools that work, one after the other', async () => {
    const calls = blocksOf(await readFile(skillFile, 'utf8'), 'json');
    assert.equal(calls.length, 3);
    let commit = '';
    for (const text of calls) {
      const { isError, structuredContent } = await call(JSON.parse(text.replace('COMMIT', commit)) as never);
      assert.notEqual(isError, true, `${text}\n${JSON.stringify(structuredContent)}`);
      commit = String(structuredContent['commit']);
    }
    const { structuredContent } = await call({ tool: 'read_org_doc', arguments: { location: 'notes/oslo.md' } });
    assert.match(String(structuredContent['text']), /By night train/);
  });

  it('in the skill are commands for REST that work', async () => {
    const commands = blocksOf(await readFile(skillFile, 'utf8'), 'sh');
    const { status, stdout, stderr } = runShell(commands.join('\n'));
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout, /"error"/);
    const read = await fetch(`${server.url}/v1/files/notes/rome.md`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(await read.text(), '# Rome\n\nBy plane.\n');
  });

  it('in the skill are reasons and tools that there are', async () => {
    const skill = await readFile(skillFile, 'utf8');
    const reasons = await (await fetch(`${server.url}/docs/reasons.md`)).text();
    const tools = await (await fetch(`${server.url}/docs/tools.md`)).text();
    const rows = [...skill.matchAll(/^\| (`[^|]+`) +\|/gm)].flatMap(([, cell = '']) => cell.split(', '));
    assert.ok(rows.length > 6);
    for (const reason of rows) assert.ok(reasons.includes(`| ${reason} |`), reason);
    const named = [...skill.matchAll(/`((?:\w+_)?(?:org_\w+|brief_me|claim|message))`/g)].map(([, tool = '']) => tool);
    assert.ok(named.length > 6);
    for (const tool of named) assert.ok(tools.includes(`\n## ${tool}\n`), tool);
  });

  it('in the REST reference are requests of the right form, each of them sent to a service', async () => {
    const index = await (await fetch(`${server.url}/docs/rest-reference.md`)).text();
    const names = [...new Set([...index.matchAll(/\((rest-[\w-]+)\.md#/g)].map(([, name = '']) => name))];
    const pages = await Promise.all(names.map(async (name) => (await fetch(`${server.url}/docs/${name}.md`)).text()));
    const examples = pages.flatMap((page) => blocksOf(page, 'sh'));
    assert.ok(examples.length > 70, String(examples.length));
    const script = examples.map((example, index) => {
      const quiet = example.trimEnd().replace(/ \\\n {2}-o answer\.bin$/, '');
      // A stream of changes or events would not end by itself; none of the examples asks for one.
      return `${quiet} -o answer-${index} -w '%{http_code}\\n' --max-time 60`;
    });
    const { status, stdout, stderr } = runShell(script.join('\n'));
    assert.equal(status, 0, stderr);
    const statuses = stdout.trim().split('\n');
    assert.equal(statuses.length, examples.length);
    const misformed: string[] = [];
    for (const [index, code] of statuses.entries()) {
      // The ids are made up, so that something may be absent or otherwise than the request says. Its form is right.
      if (['200', '201', '202', '204', '404', '409'].includes(code)) continue;
      misformed.push(`${code} ${examples[index] ?? ''}${await readFile(`${folder}/answer-${index}`, 'utf8')}`);
    }
    assert.deepEqual(misformed, []);
    assert.ok(statuses.filter((code) => code.startsWith('2')).length > 20, statuses.join());
  });

  function runShell(script: string): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    const environment = { CARTULARY_URL: server.url, CARTULARY_KEY: key, URL: server.url, KEY: key };
    return spawnSync('sh', ['-eu'], {
      input: script,
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...environment },
    });
  }

  async function call({ tool, arguments: given }: { tool: string; arguments: object }): Promise<Called['result']> {
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } }),
    });
    const text = await response.text();
    return (JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as Called).result;
  }
});

const blocksOf = (text: string, language: string): string[] =>
  text
    .split('```')
    .filter((part, index) => index % 2 === 1 && part.startsWith(`${language}\n`))
    .map((part) => part.slice(language.length + 1));

interface Called {
  readonly result: { readonly isError?: boolean; readonly structuredContent: Readonly<Record<string, unknown>> };
}
