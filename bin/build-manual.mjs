// Builds the manual as the service serves it at /docs: renders lib/docs to HTML, makes the pages of its reference from
// what the service reads itself, indexes them for the search, and writes all files with a list of them to dist/docs.
// Needs the compiled program. Does nothing if nothing changed.
//
// Usage: node bin/build-manual.mjs, or import { buildManual }
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const target = path.join(root, 'dist', 'docs');

const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.yaml': 'text/plain; charset=utf-8',
  '.mjs': 'text/plain; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

const read = (...segments) => readFileSync(path.join(root, ...segments), 'utf8');

/** Every file below a folder of the checkout, in a stable order, by its path in the folder. */
const listFiles = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(root, folder), path.join(entry.parentPath, entry.name)))
    .map((name) => name.split(path.sep).join('/'))
    .sort((a, b) => (a < b ? -1 : 1));

function digestOfSources() {
  const hash = createHash('sha256');
  const folders = ['lib/docs', 'lib/manual/web', 'schema', 'bin/manual', 'dist/bin', 'dist/lib/domain'];
  const files = folders.flatMap((folder) => listFiles(folder).map((name) => `${folder}/${name}`));
  const others = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'package-lock.json', 'bin/build-manual.mjs'];
  for (const file of [...others, 'lib/signin/pages/style.css', 'test/readme/tour.svg', ...files]) {
    if (!file.endsWith('.map')) hash.update(`\0${file}\0`).update(readFileSync(path.join(root, file)));
  }
  return hash.digest('hex');
}

/** The parts of the pages that the build makes, by the name in their marks. */
export async function makeParts(description) {
  const tables = await import('./manual/made-tables.mjs');
  const { makeOperationList } = await import('./manual/made-rest.mjs');
  const load = (file) => import(pathToFileURL(path.join(root, 'dist', file)).href);
  const { reasons } = await load('lib/domain/reason.js');
  const { makeProgram } = await load('bin/program.js');
  const tools = listFiles('schema/mcp').filter((name) => name !== 'error.json');
  return {
    operations: makeOperationList(description),
    reasons: tables.makeReasons(reasons),
    settings: tables.makeSettings(JSON.parse(read('schema', 'config.json'))),
    tools: tables.makeTools(tools.map((name) => JSON.parse(read('schema', 'mcp', name)))),
    commands: tables.makeCommands(makeProgram()),
  };
}

/** Puts what is made between its marks: `<!-- made: reasons -->` and `<!-- end -->`. */
const fillParts = (text, parts) =>
  text.replaceAll(/<!-- made: (\w+) -->[\s\S]*?<!-- end -->/g, (_, name) => {
    if (parts[name] === undefined) throw new Error(`The build makes no part called ${name}.`);
    return parts[name];
  });

/** The sections of the index, each with its pages: name, title and what it is about. */
function readContents(index) {
  return index.split(/^## /m).flatMap((section, place) => {
    if (place === 0) return [];
    const pages = [...section.matchAll(/^- \[([^\]]+)\]\(([\w-]+)\.md\): (.+)$/gm)];
    const listed = pages.map(([, title, name, about]) => ({ name, title, about }));
    return listed.length === 0 ? [] : [{ title: section.split('\n', 1)[0], pages: listed }];
  });
}

/** Colours and type of the sign-in pages, and then the manual's own rules. */
async function buildStyles() {
  const { transform } = await import('esbuild');
  const shared = read('lib', 'signin', 'pages', 'style.css');
  const values = shared.slice(0, shared.indexOf('*,\n'));
  if (!values.includes('--accent') || values.includes('body')) throw new Error('The colours are not where they were.');
  const { code } = await transform(values + read('lib', 'manual', 'web', 'style.css'), { loader: 'css', minify: true });
  return { name: `style-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.css`, text: code };
}

/** All pages as Markdown: name, text as served. */
async function makePages() {
  const { otherPages, serveMarkdown } = await import('./manual/markdown.mjs');
  const { makeRestPages } = await import('./manual/made-rest.mjs');
  const { parse } = await import('yaml');
  const description = parse(read('schema', 'openapi.yaml'), { maxAliasCount: -1 });
  const parts = await makeParts(description);
  const own = listFiles('lib/docs').filter((name) => /^[\w-]+\.md$/.test(name));
  const written = own.map((name) => ({
    name: name === 'README.md' ? 'index' : name.slice(0, -3),
    text: serveMarkdown(`lib/docs/${name}`, fillParts(read('lib', 'docs', name), parts)),
  }));
  const others = Object.entries(otherPages).map(([file, name]) => ({ name, text: serveMarkdown(file, read(file)) }));
  const made = makeRestPages(description);
  return { pages: [...written, ...others, ...made], made: made.map(({ name }) => name) };
}

/** The list for programs that read: https://llmstxt.org. Its links are relative to /llms.txt. */
function makeLlms(contents, pages, made, skills, intro) {
  const line = (name, title, about) => `- [${title}](docs/${name}): ${about}`;
  const sections = contents.map(
    ({ title, pages: own }) =>
      `## ${title}\n\n${own.map(({ name, title: words, about }) => line(`${name}.md`, words, about)).join('\n')}`,
  );
  const skillLines = skills.map(({ name, description }) =>
    line(`skills/${name}/SKILL.md`, `Skill: ${name}`, description),
  );
  const reference = made.map((name) => {
    const { title } = pages.find((page) => page.name === name);
    return line(`${name}.md`, title, 'a part of the REST reference');
  });
  return [
    '# Cartulary',
    `> ${intro}`,
    'Each page is Markdown at the address given here, and HTML at the same address without `.md`. `docs/search?q=` searches them. None needs a key.',
    `## Skills for agents\n\n${skillLines.join('\n')}`,
    ...sections,
    `## Optional\n\n${reference.join('\n')}`,
    '',
  ].join('\n\n');
}

/** The skills, with the front matter of each. */
async function readSkills(serveMarkdown) {
  const { parse } = await import('yaml');
  return listFiles('lib/docs/skills').map((file) => {
    const text = read('lib', 'docs', 'skills', file);
    const { name, description } = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)[1]);
    return {
      name,
      description,
      file: `skills/${file}`,
      text: serveMarkdown(`lib/docs/skills/${file}`, text, '../../'),
    };
  });
}

/** The list of skills by the discovery draft, version 0.2.0. Its address of a skill is relative to its own. */
const listSkills = (skills) => ({
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: skills.map(({ name, description, file, text }) => ({
    name,
    type: 'skill-md',
    description,
    url: `../../docs/${file}`,
    digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  })),
});

/** Writes the files with their compressed forms. @returns the list that the service reads */
function writeFiles(files) {
  return files.map(({ address, name, bytes }) => {
    const file = path.join(target, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    const isText = !/\.(?:png)$/.test(name);
    if (isText) {
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
    }
    const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
    return {
      address,
      file: name,
      mediaType: mediaTypes[path.extname(name)],
      etag: `"${digest}"`,
      isCompressed: isText,
    };
  });
}

/** @param onBuild called before it builds, where something changed */
export async function buildManual(onBuild = () => {}) {
  const stamp = path.join(target, '.sources');
  const digest = digestOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  onBuild();
  const { otherFiles, renderMarkdown, serveMarkdown, titleOf } = await import('./manual/markdown.mjs');
  const { wrapPage } = await import('./manual/page.mjs');
  const { indexSections } = await import('./manual/index-sections.mjs');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const index = read('lib', 'docs', 'README.md');
  const sources = readContents(serveMarkdown('lib/docs/README.md', index));
  const styles = await buildStyles();
  const { pages, made } = await makePages();
  const rendered = pages.map(({ name, text }) => ({ name, text, title: titleOf(text), ...renderMarkdown(text) }));
  const listed = new Set(sources.flatMap(({ pages: own }) => own.map(({ name }) => name)));
  const others = rendered.filter(({ name }) => ![...made, ...listed, 'index'].includes(name));
  if (others.length > 0) sources.push({ title: 'More', pages: others.map((page) => ({ ...page, about: page.title })) });
  const contents = [{ title: 'Manual', pages: [{ name: 'index', title: 'All pages', about: '' }] }, ...sources];
  const more = rendered.filter(({ name }) => made.includes(name)).map(({ name, title }) => ({ name, title }));
  const wrap = (page) => wrapPage({ ...page, stylesheet: styles.name }, contents, more);
  const files = rendered.flatMap((page) => [
    {
      address: page.name === 'index' ? '/docs/' : `/docs/${page.name}`,
      name: `${page.name}.html`,
      bytes: wrap(page).replace('{{query}}', ''),
    },
    { address: `/docs/${page.name}.md`, name: `${page.name}.md`, bytes: page.text },
  ]);
  const skills = await readSkills(serveMarkdown);
  const intro = JSON.parse(read('package.json')).description;
  const fixed = [
    { name: styles.name, bytes: styles.text },
    ...skills.map(({ file, text }) => ({ name: file, bytes: text })),
    ...['examples', 'monitoring', 'pictures'].flatMap((folder) =>
      listFiles(`lib/docs/${folder}`).map((name) => ({
        name: `${folder}/${name}`,
        bytes: readFileSync(path.join(root, 'lib', 'docs', folder, name)),
      })),
    ),
    ...Object.entries(otherFiles).map(([file, name]) => ({ name, bytes: readFileSync(path.join(root, file)) })),
  ].map(({ name, bytes }) => ({ address: `/docs/${name}`, name, bytes }));
  const lists = [
    { address: '/llms.txt', name: 'llms.txt', bytes: makeLlms(sources, rendered, made, skills, intro) },
    {
      address: '/.well-known/agent-skills/index.json',
      name: 'agent-skills.json',
      bytes: `${JSON.stringify(listSkills(skills), null, 2)}\n`,
    },
  ];
  const empty = (title) => ({ name: 'search', title, html: '{{results}}', headings: [], hasMarkdown: false });
  writeFileSync(path.join(target, 'results.html'), wrap(empty('Search')));
  const { sections, words } = indexSections(rendered);
  writeFileSync(path.join(target, 'sections.json'), JSON.stringify(sections));
  writeFileSync(path.join(target, 'words.json'), JSON.stringify(words));
  writeFileSync(path.join(target, 'files.json'), JSON.stringify(writeFiles([...files, ...fixed, ...lists]), null, 1));
  writeFileSync(stamp, digest);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  await buildManual();
