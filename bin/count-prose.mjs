// `npm run prose [-- FILE…]`: counts how plain the prose of the documents and of lib's comments is, and
// prints the hardest sentences. It gives advice and always exits with 0. `--worst N` sets how many
// sentences it prints (10). A source file named on the command line is judged by its comments.
//
// The goals: 20 words a sentence or fewer, at most 2 relative words in a hundred, no indefinite person.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Words that hang one clause on another, or stand in the place of a noun. */
const relativeWords = new Set(
  'which whichever that who whom whose whoever what whatever whatsoever whereby wherein whereof'.split(' '),
);
/** Persons without a name or a role, and a word without use. */
const indefiniteWords = new Set(
  'somebody someone nobody anybody anyone everybody everyone whoever whomever anew'.split(' '),
);

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/** A paragraph of prose: its text, and the line on which it begins. */
const paragraph = (line, text) => ({ line, text });

/** Removes everything that is not prose from a line of Markdown: link targets, code, emphasis, HTML. */
function plainMarkdown(line) {
  return line
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/`[^`]*`/g, 'Code')
    .replaceAll('<br>', '\n')
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll(/[*_[\]#>]/g, '');
}

/** The paragraphs, list items, headings and table cells of a Markdown text, without its code blocks. */
function readMarkdown(text) {
  const found = [];
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed.startsWith('```')) isCode = !isCode;
    else if (!isCode && trimmed.startsWith('|')) {
      for (const cell of trimmed.split('|')) found.push(paragraph(index + 1, plainMarkdown(cell)));
    } else if (!isCode) found.push(paragraph(index + 1, plainMarkdown(trimmed)));
  }
  return found;
}

/** The comments of a source that stand on lines of their own; each tag of a docstring begins a paragraph. */
function readComments(text) {
  const found = [];
  let open = paragraph(0, '');
  const close = () => {
    if (open.text !== '') found.push(open);
    open = paragraph(0, '');
  };
  let isBlock = false;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    const isComment = trimmed.startsWith('//') || trimmed.startsWith('/*') || (isBlock && trimmed.startsWith('*'));
    if (trimmed.startsWith('/*')) isBlock = true;
    const prose = trimmed.replace('*/', '').replace('/**', '').replace('/*', '').replace('//', '').trim();
    const words = plainMarkdown(prose.startsWith('*') ? prose.slice(1) : prose).trim();
    if (!isComment || words === '') close();
    else {
      if (words.startsWith('@')) close();
      const said = words.replace(/^@\w+\s?/, '');
      open = open.text === '' ? paragraph(index + 1, said) : paragraph(open.line, `${open.text} ${said}`);
    }
    if (trimmed.endsWith('*/')) {
      isBlock = false;
      close();
    }
  }
  close();
  return found;
}

/** The sentences of a file with their words counted. */
function judge(file) {
  const text = readFileSync(path.join(root, file), 'utf8');
  const paragraphs = file.endsWith('.md') ? readMarkdown(text) : readComments(text);
  return paragraphs.flatMap(({ line, text: prose }) =>
    [...sentences.segment(prose)].flatMap(({ segment }) => {
      const words = segment.split(/[\s—/]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
      if (words.length === 0) return [];
      const bare = words.map((word) =>
        word
          .toLowerCase()
          .replaceAll(/[^\p{L}'’]/gu, '')
          .replace(/['’]s$/, ''),
      );
      const relative = bare.filter((word) => relativeWords.has(word)).length;
      const indefinite = bare.filter((word) => indefiniteWords.has(word)).length;
      const hardness = Math.max(0, words.length - 20) + 5 * Math.max(0, relative - 1) + 10 * indefinite;
      return [{ file, line, text: segment.trim(), words: words.length, relative, indefinite, hardness }];
    }),
  );
}

/** One line of the table. */
function measure(name, counted) {
  const sum = (key) => counted.reduce((total, sentence) => total + sentence[key], 0);
  const words = sum('words');
  // Headings and the cells of tables are no sentences.
  const whole = counted.filter((sentence) => sentence.words > 4);
  const average = whole.reduce((total, sentence) => total + sentence.words, 0) / Math.max(1, whole.length);
  return {
    name,
    words: String(words),
    'a sentence': average.toFixed(1),
    'over 20': `${Math.round((100 * whole.filter((sentence) => sentence.words > 20).length) / Math.max(1, whole.length))} %`,
    'relative/100': ((100 * sum('relative')) / Math.max(1, words)).toFixed(1),
    'persons/1000': ((1000 * sum('indefinite')) / Math.max(1, words)).toFixed(1),
  };
}

function print(rows) {
  const columns = Object.keys(rows[0]);
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => row[column].length)));
  const line = (cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join('  ');
  console.log([line(columns), ...rows.map((row) => line(columns.map((column) => row[column])))].join('\n'));
}

function listTracked(...patterns) {
  const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout.split('\0').filter((file) => file !== '');
}

const parameters = process.argv.slice(2);
const option = parameters.indexOf('--worst');
const worst = option === -1 ? 10 : Number(parameters[option + 1]);
const named = parameters
  .filter((_, index) => option === -1 || (index !== option && index !== option + 1))
  .map((file) => path.relative(root, path.resolve(file)));

/** The rows of the table, each over one file or over a group of files. */
const groups =
  named.length > 0
    ? named.map((file) => [file, [file]])
    : [
        ...listTracked('*.md')
          .filter((file) => !/^lib\/decisions\/\d/.test(file))
          .map((file) => [file, [file]]),
        ['lib/decisions/NNNN-*.md', listTracked('lib/decisions/[0-9]*.md')],
        ['comments of lib', listTracked('lib/*.ts')],
        ['comments of bin', listTracked('bin/*.ts', 'bin/*.mjs')],
        ['comments of test', listTracked('test/*.ts')],
      ];
const judged = groups.map(([name, files]) => [name, files.flatMap(judge)]);
print([
  ...judged.map(([name, counted]) => measure(name, counted)),
  ...(judged.length > 1
    ? [
        measure(
          'all',
          judged.flatMap(([, counted]) => counted),
        ),
      ]
    : []),
]);
const hardest = judged
  .flatMap(([, counted]) => counted)
  .filter((sentence) => sentence.hardness > 0)
  .sort((one, other) => other.hardness - one.hardness)
  .slice(0, worst);
if (hardest.length > 0) console.log('\nThe hardest sentences:');
for (const { file, line, text, words, relative, indefinite } of hardest) {
  console.log(`\n${file}:${line} (${words} words, ${relative} relative, ${indefinite} persons)\n  ${text}`);
}
