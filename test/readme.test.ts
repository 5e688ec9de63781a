import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, timeout, startProgram, tidyUp, type RunningProgram } from './support/processes/run-program.js';
import { skipBecause } from './support/skip.js';

const program = fileURLToPath(new URL('../bin/cartulary.js', import.meta.url));

function findPage(folder = dirname(fileURLToPath(import.meta.url))): string {
  return existsSync(join(folder, 'README.md')) && existsSync(join(folder, 'package.json'))
    ? join(folder, 'README.md')
    : findPage(dirname(folder));
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** The comment before it, such as `not run: why`. */
  readonly mark: string;
}

/** A block of commands, with what the page says it prints. */
interface Step {
  readonly commands: string;
  readonly printed: Block | undefined;
}

const fence = /(?:<!-- ([^\n]*?) -->\n+)?```(\w*)\n(.*?)```\n/gs;

function readBlocks(page: string): { readonly start: string; readonly steps: readonly Step[] } {
  const blocks = [...page.matchAll(fence)].map(([, mark = '', language = '', text = '']): Block => ({
    language,
    text,
    mark,
  }));
  const steps = blocks.flatMap((block, index): Step[] => {
    if (block.language !== 'sh' || block.mark.startsWith('not run: ')) return [];
    const next = blocks[index + 1];
    return [{ commands: block.text, printed: next !== undefined && next.language !== 'sh' ? next : undefined }];
  });
  return { start: blocks.find(({ mark }) => mark === 'start')?.text ?? '', steps };
}

/** What differs from run to run by its nature, made equal. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'URL'],
  [/ck_main_[0-9a-z]+_[0-9a-z]+/g, 'KEY'],
  [/\/signin\/link\/[0-9a-x]{52}\b/g, '/signin/link/SECRET'],
  [/\b(doc|req|prn|grp|grt)_[0-9a-z]{20,32}\b/g, '$1_ID'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b[0-9a-f]{40}\b/g, 'COMMIT'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME'],
  [/\b\d+ (audit )?records\b/g, 'N $1records'],
  [/up to \d+;/g, 'up to N;'],
  [/\(\d+ a second\)/g, '(N a second)'],
  [/in \d+\.\d s\./g, 'in N s.'],
  [/bytes {2,}\d+/g, 'bytes N'],
  [/process \d+/g, 'process N'],
  [/\b\d+(?:\.\d)? k?B\b/g, 'N kB'],
  // What a page cannot show.
  [/[ \t]+$/gm, ''],
  [/seq \d+/g, 'seq N'],
];

/** Where the page has its checkout. */
const shownFolder = '/srv/cartulary';

function level(text: string): string {
  return varying.reduce((result, [pattern, name]) => result.replace(pattern, name), text).trim();
}

/** Compares JSON; where the page has a member "…", further members may follow. */
function assertShown(actual: unknown, shown: unknown, place = 'answer'): void {
  if (typeof shown !== 'object' || shown === null || typeof actual !== 'object' || actual === null) {
    assert.deepEqual(actual, shown, place);
    return;
  }
  const { '…': cut, ...wanted } = shown as Record<string, unknown>;
  const found = Object.entries(actual);
  const compared = cut === undefined ? found : found.filter(([name]) => name in wanted);
  assert.deepEqual(compared.map(([name]) => name).toSorted(), Object.keys(wanted).toSorted(), place);
  for (const [name, value] of compared) assertShown(value, wanted[name], `${place}.${name}`);
}

function assertPrinted(stdout: string, { language, text }: Block): void {
  if (language === 'json') assertShown(JSON.parse(level(stdout)), JSON.parse(level(text)));
  else assert.equal(level(stdout), level(text));
}

describe('The README', function () {
  this.timeout(4 * timeout);

  const { start, steps } = readBlocks(readFileSync(findPage(), 'utf8'));
  let folder: string;
  let server: RunningProgram;

  before(async function () {
    for (const name of ['sh', 'curl', 'git']) {
      const { error } = spawnSync(name, ['--version']);
      if (error !== undefined) skipBecause(this, `${name} is not on this machine`);
    }
    folder = await makeFolder();
    server = await startProgram(['start', '--port', '0'], /^Ctrl-C/, { cwd: folder });
  });

  after(tidyUp);

  it('leads only to what is there', () => {
    const page = readFileSync(findPage(), 'utf8').replaceAll(fence, '');
    const targets = [...page.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target]) => target ?? '');
    assert.ok(targets.length > 5, 'the links are found');
    const absent = targets.filter(
      (target) => !/^https?:/.test(target) && !existsSync(join(dirname(findPage()), target)),
    );
    assert.deepEqual(absent, []);
  });

  it('shows what a first start prints', () => {
    assert.equal(level(server.lines.join('\n').replaceAll(folder, shownFolder)), level(start));
  });

  it('has commands that do what it says, all of them, one after the other', async () => {
    assert.ok(steps.length >= 8, 'the blocks are found');
    const lines = server.lines.join('\n');
    // `npx cartulary` is this build; and a busy machine gets more time than a reader needs.
    const tools = join(folder, 'tools');
    await mkdir(tools);
    const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${program}' "$@"\n`;
    await writeFile(join(tools, 'npx'), npx, { mode: 0o755 });
    await writeFile(join(tools, 'sleep'), '#!/bin/sh\nexec /bin/sleep $(($1 * 3))\n', { mode: 0o755 });
    const mark = '=== end of a block ===';
    const script = [
      `URL=${/http:\S+/.exec(lines)?.[0] ?? ''}`,
      `KEY=${/ck_\w+/.exec(lines)?.[0] ?? ''}`,
      ...steps.map(({ commands }) => `${commands}\nprintf '\\n%s\\n' '${mark}'`),
    ].join('\n');
    const { stdout, stderr, status } = spawnSync('sh', ['-e'], {
      cwd: folder,
      input: script,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${tools}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C.UTF-8' },
    });
    const outputs = stdout.replaceAll(folder, shownFolder).split(`${mark}\n`);
    for (const [index, { printed }] of steps.entries()) {
      const output = outputs[index] ?? '';
      if (printed !== undefined && index < outputs.length - 1) assertPrinted(output, printed);
    }
    assert.equal(status, 0, stderr);
    assert.equal(outputs.length, steps.length + 1, stderr);
  });
});
