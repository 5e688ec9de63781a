import { html, type Html } from '../http/html.js';
import type { BuiltManual } from './built-manual.js';
import { searchManual, type Result } from './search-manual.js';

const showResult = ({ section, excerpt }: Result): Html => {
  const { address, page, title } = section;
  const pieces = excerpt.map(({ text, isFound }) => (isFound ? html`<mark>${text}</mark>` : text));
  return html`<li>
    <a href="${address}">${title === page ? title : `${page}: ${title}`}</a>
    <p>${pieces}</p>
  </li>`;
};

function showFound(manual: BuiltManual, question: string): Html {
  const { results, hasAll, isCut } = searchManual(manual, question);
  if (results.length === 0) {
    return html`<p role="status">Nothing in the manual has these words.</p>
      <p>Try fewer words, or the beginning of one. <a href="./">All pages</a> shows what there is.</p>`;
  }
  const count = results.length === 1 ? '1 place' : `${isCut ? 'The best ' : ''}${results.length} places`;
  const said = hasAll ? `${count} in the manual.` : `No place has all of these words. These have some of them.`;
  return html`<p role="status">${said}</p>
    <ul class="results">
      ${results.map(showResult)}
    </ul>`;
}

/**
 * The page of a search.
 * @param question as typed; '' asks for one
 */
export function showResults(manual: BuiltManual, question: string): string {
  const found = question.trim() === '' ? html`<p>Type a word into the field above.</p>` : showFound(manual, question);
  const values: Readonly<Record<string, Html>> = {
    query: html`${question}`,
    results: html`<h1>Search</h1>
      ${found}`,
  };
  return manual.resultsPage.replaceAll(/\{\{(query|results)\}\}/g, (_, name: string) => values[name]?.text ?? '');
}
