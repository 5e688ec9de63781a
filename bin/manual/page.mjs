// One page of the manual in HTML: what is around its text.
import { readFileSync } from 'node:fs';

const template = readFileSync(new URL('../../lib/manual/web/page.html', import.meta.url), 'utf8');

export const escape = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** @param current the name of the page that is shown */
function navigation(contents, current, more) {
  const item = ({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : '';
    return `<li><a href="${name === 'index' ? './' : name}"${mark}>${escape(title)}</a></li>`;
  };
  return contents
    .map(({ title, pages }) => {
      const items = pages.flatMap((page) => [page, ...(page.name === 'rest-reference' ? more : [])]);
      return `<h2>${escape(title)}</h2>\n<ul>${items.map(item).join('')}</ul>`;
    })
    .join('\n');
}

/** The headings of a long page, closed at first. */
function outline(name, headings) {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 4 || name === 'index') return '';
  const items = shown.map(({ id, title }) => `<li><a href="#${escape(id)}">${escape(title)}</a></li>`);
  return `<details class="outline"><summary>On this page</summary><ul>${items.join('')}</ul></details>`;
}

/**
 * @param page its name, its title, its HTML, its headings, and whether it is there as Markdown
 * @param contents of the manual
 * @param more pages of the REST reference, shown beside its pages
 */
export function wrapPage({ name, title, html, headings, stylesheet, hasMarkdown = true }, contents, more = []) {
  const isReference = name.startsWith('rest-');
  // The outline stands below the title.
  const end = html.indexOf('</h1>');
  const body = end < 0 ? html : `${html.slice(0, end + 5)}\n${outline(name, headings)}${html.slice(end + 5)}`;
  const values = {
    title: title === 'Cartulary' ? title : `${title} · Cartulary`,
    stylesheet,
    navigation: navigation(contents, name, isReference ? more : []),
    body,
    markdown: hasMarkdown ? `<p class="source"><a href="${name}.md">This page as Markdown</a></p>` : '',
  };
  return template.replaceAll(/\{\{(title|stylesheet|navigation|body|markdown)\}\}/g, (_, key) =>
    key === 'title' ? escape(values[key]) : values[key],
  );
}
