import MarkdownIt, { type RendererRule, type StateCore, type Token } from 'markdown-it';
import { hyphenate, readOutline } from '../../../text/outline.ts';
import { headingPrefix } from './heading-prefix.ts';
import { resolveReference, type Reference } from './resolve-reference.ts';
import { sanitize } from './sanitize.ts';

/** A heading in the contents. */
export interface ShownHeading {
  /** The id of its element. */
  readonly id: string;
  readonly title: string;
  readonly level: number;
}

export interface RenderedMarkdown {
  readonly html: TrustedHTML;
  readonly headings: readonly ShownHeading[];
}

/** What the text is shown in. */
export interface MarkdownPlace {
  /** The document's location: relative paths start there. */
  readonly location: string;
  /** The address of another document or folder in the console. */
  addressOf(kind: 'document' | 'folder', location: string): string;
  /** The address of an image in the text. */
  imageOf(location: string): string;
}

interface Environment extends Record<PropertyKey, unknown> {
  readonly place: MarkdownPlace;
  /** The outline's ids by the number of their line, from 0. */
  readonly ids: ReadonlyMap<number, string>;
  readonly headings: ShownHeading[];
  readonly taken: Set<string>;
}

const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: 50 });
// Only whole addresses become links by themselves: `plan.md` is a name, not a host.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.core.ruler.push('cartulary', dress);
const { rules } = markdown.renderer;
rules.image = (...given) => renderImage(...given);
rules.table_open = (tokens, at, options, _env, self) =>
  `<div class="table-scroll">${self.renderToken(tokens, at, options)}`;
rules.table_close = (tokens, at, options, _env, self) => `${self.renderToken(tokens, at, options)}</div>`;
for (const name of ['fence', 'code_block'] as const) {
  rules[name] = (tokens, at) => {
    const { content, map } = tokens[at] as Token;
    return `<pre data-lines="${linesOf(map)}"><code>${markdown.utils.escapeHtml(content)}</code></pre>\n`;
  };
}

const linesOf = (map: readonly number[] | null): string => (map === null ? '' : `${map[0]} ${map[1]}`);

/** Properties between `---` lines at the very start, which are no Markdown. */
const frontMatter = /^---\r?\n(?:[^\n]*\n){0,200}?---[ \t]*\r?(?:\n|$)/;

/** Markdown as HTML: every block names its lines, every heading has an id, links stay in the console. */
export function renderMarkdown(markedText: string, place: MarkdownPlace): RenderedMarkdown {
  const text = markedText.replace(/^\ufeff/, '');
  const front = frontMatter.exec(text)?.[0] ?? '';
  const lines = front.split('\n').length - 1;
  const body = front === '' ? text : '\n'.repeat(lines) + text.slice(front.length);
  const ids = new Map(readOutline(text).map(({ id, line }) => [line - 1, id]));
  const env: Environment = { place, ids, headings: [], taken: new Set() };
  const properties = front === '' ? '' : renderProperties(front, lines);
  return { html: sanitize(properties + markdown.render(body, env)), headings: env.headings };
}

function renderProperties(front: string, lines: number): string {
  const inner = front
    .split('\n')
    .slice(1, lines - 1)
    .join('\n');
  return `<pre class="properties" data-lines="0 ${lines}"><code>${markdown.utils.escapeHtml(inner)}</code></pre>\n`;
}

/** Gives the tokens what the page needs. Runs after all rules of markdown-it. */
function dress(state: StateCore): void {
  const env = state.env as Environment;
  for (const [at, token] of state.tokens.entries()) {
    if (token.map !== null && token.nesting === 1) token.attrSet('data-lines', linesOf(token.map));
    if (token.type === 'heading_open') nameHeading(token, state.tokens[at + 1], env);
    if (token.type === 'th_open' || token.type === 'td_open') alignByClass(token);
    if (token.type === 'inline') dressInline(token, env);
    if (token.type === 'list_item_open') markTask(token, state.tokens[at + 2], state);
  }
}

function nameHeading(token: Token, inline: Token | undefined, { ids, headings, taken }: Environment): void {
  const title = textOf(inline);
  const base = ids.get(token.map?.[0] ?? -1) ?? hyphenate(title);
  let id = base;
  for (let count = 1; taken.has(id); count += 1) id = `${base}-${count}`;
  taken.add(id);
  token.attrSet('id', headingPrefix + id);
  token.attrSet('tabindex', '-1');
  headings.push({ id: headingPrefix + id, title, level: Number(token.tag.slice(1)) });
}

function textOf(inline: Token | undefined): string {
  const parts = inline?.children ?? [];
  return parts
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('')
    .trim();
}

/** markdown-it aligns cells by an inline style, which the page's policy keeps out. */
function alignByClass(token: Token): void {
  const style = String(token.attrGet('style') ?? '');
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style');
  const side = /right|center/.exec(style)?.[0];
  if (side !== undefined) token.attrSet('class', `align-${side}`);
}

function dressInline(inline: Token, { place }: Environment): void {
  for (const token of inline.children ?? []) {
    if (token.type !== 'link_open') continue;
    const reference = resolveReference(String(token.attrGet('href') ?? ''), place.location);
    token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'href');
    const href = hrefOf(reference, place);
    if (href !== undefined) token.attrSet('href', href);
    if (reference.kind !== 'external') continue;
    token.attrSet('rel', 'noopener noreferrer nofollow');
    token.attrSet('target', '_blank');
    token.attrSet('class', 'external');
  }
}

function hrefOf(reference: Reference, place: MarkdownPlace): string | undefined {
  switch (reference.kind) {
    case 'heading':
      return `#${headingPrefix}${encodeURIComponent(reference.id)}`;
    case 'external':
      return reference.url;
    case 'nowhere':
      return undefined;
    case 'document':
    case 'folder': {
      const address = place.addressOf(reference.kind, reference.location);
      return reference.heading === undefined
        ? address
        : `${address}#${headingPrefix}${encodeURIComponent(reference.heading)}`;
    }
  }
}

const task = /^\[([ xX])\](?=[ \t])/;

/** `- [ ] words` is a task. Its box cannot be pressed: the text is what counts. */
function markTask(item: Token, inline: Token | undefined, state: StateCore): void {
  const first = inline?.type === 'inline' ? inline.children?.[0] : undefined;
  const found = first?.type === 'text' ? task.exec(first.content) : null;
  if (first === undefined || found === null) return;
  const isDone = found[1] !== ' ';
  first.content = first.content.slice(found[0].length);
  item.attrJoin('class', 'task');
  const box = new state.Token('html_inline', '', 0);
  box.content = `<span class="task-box${isDone ? ' done' : ''}" role="img" aria-label="${isDone ? 'Done' : 'To do'}"></span>`;
  inline?.children?.unshift(box);
}

/** Whoever looks at a page asks for its images. They ask for nothing that is none by its name. */
const imageName = /\.(?:apng|avif|bmp|gif|ico|jpe?g|png|svg|tiff?|webp)$/i;

/** An image of the workspace is shown. One from outside is a link: looking at a page must not tell others. */
const renderImage: RendererRule = (tokens, at, options, env, self) => {
  const { place } = env as Environment;
  const token = tokens[at] as Token;
  const { escapeHtml } = markdown.utils;
  const alt = self.renderInlineAsText(token.children ?? [], options, env);
  const reference = resolveReference(String(token.attrGet('src') ?? ''), place.location);
  if (reference.kind === 'document' && imageName.test(reference.location)) {
    const title = token.attrGet('title');
    const named = title === null ? '' : ` title="${escapeHtml(String(title))}"`;
    return `<img src="${escapeHtml(place.imageOf(reference.location))}" alt="${escapeHtml(alt)}"${named} loading="lazy">`;
  }
  const label = escapeHtml(alt === '' ? 'Image' : `Image: ${alt}`);
  if (reference.kind === 'document') {
    const address = escapeHtml(place.addressOf('document', reference.location));
    return `<a class="image-left-out" href="${address}">${label}</a>`;
  }
  if (reference.kind !== 'external') return `<span class="image-left-out">${label}</span>`;
  const url = escapeHtml(reference.url);
  return `<a class="external image-left-out" href="${url}" rel="noopener noreferrer nofollow" target="_blank">${label}</a>`;
};
