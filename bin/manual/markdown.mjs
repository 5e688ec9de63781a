// Markdown of the manual: its links as they are served, its headings with addresses, its HTML.
import path from 'node:path';
import MarkdownIt from 'markdown-it';

/** Pages of the checkout outside lib/docs that are served too, under these names. */
export const otherPages = { 'README.md': 'start', 'SECURITY.md': 'security', 'CHANGELOG.md': 'changelog' };
/** Files outside lib/docs that are served as they are. */
export const otherFiles = {
  'schema/config.json': 'schema/config.json',
  'schema/openapi.yaml': 'schema/openapi.yaml',
  'schema/connector-protocol.json': 'schema/connector-protocol.json',
  'test/readme/tour.svg': 'pictures/tour.svg',
};

const own = 'lib/docs/';
const isOutside = (link) => /^(?:[a-z][a-z0-9+.-]*:|#)/i.test(link);

/** The heading's address, as GitHub makes it. */
export const addressOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Every part of a text that is, or is not, in a fenced block. */
const splitFences = (text) => text.split(/^(```[^\n]*\n[\s\S]*?^```$)/m);

const inProse = (text, change) =>
  splitFences(text)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');

/**
 * A link of a page as it is served below /docs; undefined where its target is not served.
 * @param file of the page, from the root of the checkout
 */
function placeOf(file, link) {
  if (isOutside(link)) return link;
  const [target, mark] = link.split('#');
  const wanted = path.posix.join(path.posix.dirname(file), target);
  const end = mark === undefined ? '' : `#${mark}`;
  const page = otherPages[wanted];
  if (page !== undefined) return `${page}.md${end}`;
  if (otherFiles[wanted] !== undefined) return otherFiles[wanted];
  if (!wanted.startsWith(own)) return undefined;
  const name = wanted.slice(own.length);
  return name === 'README.md' ? `index.md${end}` : `${name}${end}`;
}

/**
 * The Markdown that is served: links lead to what is served, and a link to anything else is its words alone.
 * @param file of the page, from the root of the checkout
 * @param up from the page's place to /docs, such as '../../'
 */
export function serveMarkdown(file, text, up = '') {
  const relink = (whole, bang, words, link) => {
    const place = placeOf(file, link);
    if (place === undefined) return words;
    return `${bang}[${words}](${isOutside(place) ? place : up + place})`;
  };
  return inProse(text, (part) =>
    part.replaceAll(/(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, bang, words, link) =>
      bang === '' && words.startsWith('![') ? whole : relink(whole, bang, words, link),
    ),
  );
}

/** The title of a page: its first heading. */
export const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1] ?? '';

const plain = (inline) =>
  (inline.children ?? [])
    .map(({ type, content }) => {
      if (type === 'softbreak') return ' ';
      return ['text', 'code_inline'].includes(type) ? content : '';
    })
    .join('');

/** The link of a page in HTML: `agents.md#tools` is `agents#tools`. */
function linkInPage(link) {
  if (isOutside(link) || link.startsWith('skills/')) return link;
  const place = link.replace(/\.md(?=#|$)/, '');
  return place.replace(/^index(?=#|$)/, './');
}

function makeParser() {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  const { rules } = markdown.renderer;
  // A wide table and a long line scroll by themselves, also by the keyboard.
  rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
  rules.table_close = () => '</table></div>\n';
  rules.fence = (tokens, index) => {
    const { info, content } = tokens[index];
    const language = /^\w+/.exec(info)?.[0] ?? 'text';
    return `<pre tabindex="0"><code class="language-${language}">${markdown.utils.escapeHtml(content)}</code></pre>\n`;
  };
  rules.image = (tokens, index) => {
    const { content, attrs } = tokens[index];
    const source = attrs.find(([name]) => name === 'src')[1];
    return `<img src="${markdown.utils.escapeHtml(source)}" alt="${markdown.utils.escapeHtml(content)}" loading="lazy" />`;
  };
  return markdown;
}

const markdown = makeParser();

/** Gives every heading its address; a second one of the same words gets a number, as on GitHub. */
function addressHeadings(tokens) {
  const seen = new Map();
  const headings = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const title = plain(tokens[index + 1]);
    const address = addressOf(title);
    const times = seen.get(address) ?? 0;
    seen.set(address, times + 1);
    const id = times === 0 ? address : `${address}-${times}`;
    token.attrSet('id', id);
    headings.push({ level: Number(token.tag.slice(1)), title, id, at: index });
  }
  return headings;
}

function relinkTokens(tokens) {
  for (const { children } of tokens)
    for (const child of children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', linkInPage(child.attrGet('href')));
    }
}

/** The words of a section, without the heads of its tables. */
const textOf = (tokens) =>
  tokens
    .flatMap((token, index) => {
      if (token.type === 'inline') return tokens[index - 1]?.type === 'th_open' ? [] : [plain(token)];
      return token.type === 'fence' ? [token.content] : [];
    })
    .join(' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * Renders a page.
 * @param text its Markdown as served
 * @returns its HTML, its headings, and its sections for the search: the words below each heading of the first three
 *   levels
 */
export function renderMarkdown(text) {
  const visible = inProse(text, (part) => part.replaceAll(/^<!-- .* -->\n/gm, ''));
  const tokens = markdown.parse(visible, {});
  const headings = addressHeadings(tokens);
  relinkTokens(tokens);
  const cuts = headings.filter(({ level }) => level <= 3);
  const sections = cuts.map(({ title, id, level, at }, index) => ({
    title,
    id: level === 1 ? '' : id,
    text: textOf(tokens.slice(at + 3, cuts[index + 1]?.at)),
  }));
  return { html: markdown.renderer.render(tokens, markdown.options, {}), headings, sections };
}
