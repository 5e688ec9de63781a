import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFolder, timeout, startProgram, tidyUp, type RunningProgram } from './support/processes/run-program.js';
import { skipBecause } from './support/skip.js';
import { drawTerminal, runTour } from './readme/tour.js';

const program = fileURLToPath(new URL('../bin/cartulary.js', import.meta.url));

const root = findRoot();

/** The pages whose commands run, in this order and in one shell: the manual continues from the README's tour. */
const pages = [
  'README.md',
  ...['applications', 'changes', 'agents', 'people', 'admins', 'operating', 'audit-log', 'connectors', 'git'].map(
    (name) => `lib/docs/${name}.md`,
  ),
];
/** Every page of the manual: the Markdown below lib/docs. */
const manual = readdirSync(join(root, 'lib/docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `lib/docs/${name}`)
  .sort();

/** The pages with checked links. */
const linked = ['README.md', ...manual, 'lib/audit/README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

const readPage = (page: string): string => readFileSync(join(root, page), 'utf8');

const fence = /(?:<!-- ([^\n]*?) -->\n+)?```(\w*)\n(.*?)```\n/gs;

const findBlocks = (page: string): Block[] =>
  [...readPage(page).matchAll(fence)].map(([, mark = '', language = '', text = '']) => ({ language, text, mark }));

/** Whether the block stays out of the session of this test: it cannot be run, or another test runs it. */
const isElsewhere = ({ mark }: Block): boolean => /^(?:not run|run by): ./.test(mark);

/** Output that differs from run to run, and the text that replaces it in the comparison. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'URL'],
  [/ck_main_[0-9a-z]+_[0-9a-z]+/g, 'KEY'],
  [/\/signin\/link\/[0-9a-x]{52}\b/g, '/signin/link/SECRET'],
  [/\b(doc|req|prn|grp|grt)_[0-9a-z]{20,32}\b/g, '$1_ID'],
  [/^[0-9a-z]{52}$/gm, 'SECRET'],
  [/\b[0-9a-f]{64}\b/g, 'HASH'],
  [/\b[0-9a-f]{40}\b|(?<=\()[0-9a-f]{8}(?=\):)/g, 'COMMIT'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME'],
  [/\b\d+ (audit )?records\b/g, 'N $1records'],
  [/up to \d+;/g, 'up to N;'],
  [/\(\d+ a second\)/g, '(N a second)'],
  [/in \d+\.\d s\./g, 'in N s.'],
  [/bytes {2,}\d+/g, 'bytes N'],
  [/process \d+/g, 'process N'],
  [/data format \d+\.\d+/g, 'data format N'],
  [/\b\d+(?:\.\d)? k?B\b/g, 'N kB'],
  // A page cannot show blanks at the end of a line.
  [/[ \t]+$/gm, ''],
  [/seq \d+/g, 'seq N'],
  [/"id": ?"[\w-]{22}"/g, '"id":"ITEM"'],
  [/"next_cursor": ?"[\w-]{40,}"/g, '"next_cursor":"CURSOR"'],
];

/** The folder of the checkout in the pages. */
const shownFolder = '/srv/cartulary';

describe('The README and the manual', function () {
  this.timeout(4 * timeout);

  const blocks = pages.map(readBlocks);
  const start = blocks[0]?.start ?? '';
  const steps = blocks.flatMap((block) => block.steps);
  let folder: string;
  let server: RunningProgram;

  before(async function () {
    for (const name of ['sh', 'curl', 'git']) {
      const { error } = spawnSync(name, ['--version']);
      if (error !== undefined) skipBecause(this, `${name} is not on this machine`);
    }
    folder = await makeFolder();
    // As in a checkout.
    const settings = { data: 'repos', connector_folders: [join(folder, 'scans')] };
    await writeFile(join(folder, 'cartulary.json'), JSON.stringify(settings));
    server = await startProgram(['start', '--port', '0'], /^Ctrl-C/, { cwd: folder });
  });

  after(tidyUp);

  it('have no broken link to a file or heading', () => {
    assert.deepEqual(linked.flatMap(findBrokenLinks), []);
    assert.ok([...readPage('README.md').matchAll(/\]\(/g)].length > 5, 'the links are found');
  });

  it('have no command and no code that is neither run by a test nor says why not', () => {
    assert.deepEqual(['README.md', ...manual].flatMap(findUnrunBlocks), []);
    const count = manual.flatMap(findBlocks).filter((block) => isCode(block) && !block.mark.startsWith('not run: '));
    assert.ok(count.length > 30, `${count.length} blocks are found`);
  });

  it('name files that exist in the recipes of CONTRIBUTING', () => {
    const named = [...readPage('CONTRIBUTING.md').matchAll(/`((?:bin|lib|schema|test)\/[^`\s]*)`/g)].map(
      ([, path = '']) => path,
    );
    assert.ok(named.length > 20, 'the paths are found');
    // A part in capital letters stands for a name of one's own.
    const absent = named.filter((path) => !/[A-Z]{4}|…/.test(path) && !existsSync(join(root, path)));
    assert.deepEqual(absent, []);
  });

  it('show the output of a first start', () => {
    assert.equal(level(server.lines.join('\n').replaceAll(folder, shownFolder)), level(start));
  });

  it('have a picture of the program’s output', async () => {
    const drawn = drawTerminal(await runTour());
    const [actual, picture] = [drawn, readPage('test/readme/tour.svg')].map((text) =>
      level(text.replaceAll('\u00a0', ' ')),
    );
    assert.equal(actual, picture, '`npm run picture` draws it again');
  });

  it('have commands that print the output shown, all of them, one after the other', async () => {
    for (const page of pages.filter((name) => !name.endsWith('people.md'))) {
      assert.ok(
        steps.some((step) => step.page === page),
        `the blocks of ${page} are found`,
      );
    }
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
      // A home of its own: the manual sets up git there.
      env: { ...process.env, PATH: `${tools}:${process.env['PATH'] ?? ''}`, HOME: folder, LC_ALL: 'C.UTF-8' },
    });
    const outputs = stdout.replaceAll(folder, shownFolder).split(`${mark}\n`);
    for (const [index, { page, printed }] of steps.entries()) {
      const output = outputs[index] ?? '';
      if (printed !== undefined && index < outputs.length - 1) assertPrinted(output, printed, page);
    }
    assert.equal(status, 0, stderr);
    assert.equal(outputs.length, steps.length + 1, stderr);
  });
});

/** Commands and code: what a reader copies, also from a shown session. */
const isCode = ({ language, text }: Block): boolean =>
  ['', 'sh', 'bash', 'shell', 'console', 'http', 'js', 'mjs', 'ts', 'py', 'python'].includes(language) ||
  /^\$ /m.test(text);

/** The checkout: where package.json and the README are. */
function findRoot(folder = dirname(fileURLToPath(import.meta.url))): string {
  const isRoot = existsSync(join(folder, 'README.md')) && existsSync(join(folder, 'package.json'));
  return isRoot ? folder : findRoot(dirname(folder));
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** The comment before it, such as `not run: why`. */
  readonly mark: string;
}

/** A block of commands, with its output on the page. */
interface Step {
  readonly page: string;
  readonly commands: string;
  readonly printed: Block | undefined;
}

function readBlocks(page: string): { readonly start: string; readonly steps: readonly Step[] } {
  const blocks = findBlocks(page);
  const steps = blocks.flatMap((block, index): Step[] => {
    if (block.language !== 'sh' || isElsewhere(block)) return [];
    const next = blocks[index + 1];
    return [{ page, commands: block.text, printed: next !== undefined && next.language !== 'sh' ? next : undefined }];
  });
  return { start: blocks.find(({ mark }) => mark === 'start')?.text ?? '', steps };
}

function level(text: string): string {
  return varying.reduce((result, [pattern, name]) => result.replace(pattern, name), text).trim();
}

/** Compares JSON; where the page has a member "…", further members may follow. */
function assertShown(actual: unknown, shown: unknown, place: string): void {
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

function assertPrinted(stdout: string, { language, text }: Block, page: string): void {
  if (language === 'json') assertShown(JSON.parse(level(stdout)), JSON.parse(level(text)), page);
  else assert.equal(level(stdout), level(text), page);
}

/** The heading's address, as GitHub makes it. */
function addressOf(heading: string): string {
  const kept = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return kept.trim().replaceAll(' ', '-');
}

/** The broken links of a page: to no file, or to no heading of a page. */
function findBrokenLinks(page: string): string[] {
  const text = readPage(page).replaceAll(fence, '');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^https?:/.test(link)) return [];
    const [target = '', heading] = link.split('#');
    const file = target === '' ? page : join(dirname(page), target);
    if (!existsSync(join(root, file))) return [`${page}: ${link}`];
    if (heading === undefined) return [];
    const headings = [...readPage(file).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => addressOf(title));
    return headings.includes(heading) ? [] : [`${page}: ${link}`];
  });
}

/** The blocks of code that no test runs, without a reason; and those that name a test which does not read the page. */
function findUnrunBlocks(page: string): string[] {
  return findBlocks(page).flatMap((block) => {
    if (!isCode(block) || block.mark.startsWith('not run: ')) return [];
    const place = `${page}: ${block.text.split('\n', 1)[0]}`;
    const [, test] = /^run by: (\S+)$/.exec(block.mark) ?? [];
    if (test !== undefined) {
      const isRun = existsSync(join(root, test)) && readPage(test).includes(page.split('/').at(-1) ?? page);
      return isRun ? [] : [`${place} is not run by ${test}`];
    }
    return block.language === 'sh' && pages.includes(page) ? [] : [`${place} is run by no test`];
  });
}
