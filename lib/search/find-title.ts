import { endOfFrontMatter } from './reduce-markup.js';

/** Characters at the start of a text in which its title is looked for. */
const headLength = 8_000;
const longestTitle = 300;

const titleOfFrontMatter = /^title:[ \t]*(["']?)([^\r\n]{1,300}?)\1[ \t]{0,20}$/m;
const titleOfHtml = /<title[^>]{0,200}>([^<]{1,300})</i;
/** `# Title` of Markdown, `= Title` of AsciiDoc. */
const markedLine = /^[ ]{0,3}(?:#{1,6}|=)[ \t]+(\S.*)$/;
const underline = /^(?:={3,}|-{3,}|~{3,})[ \t]*$/;

/** Where a title stands: its words, and the stretch of the text that is its line, to be read once only. */
export interface Title {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** The title in the front matter or of an HTML page, else the first heading; undefined when the text shows none. */
export function findTitle(text: string): Title | undefined {
  const bodyStart = endOfFrontMatter(text);
  const front = bodyStart > 0 ? titleOfFrontMatter.exec(text.slice(0, bodyStart))?.[2] : undefined;
  if (front !== undefined) return { title: front.slice(0, longestTitle), start: 0, end: 0 };
  const head = text.slice(bodyStart, bodyStart + headLength);
  const html = titleOfHtml.exec(head);
  if (html?.[1] !== undefined) return placeTitle(html[1], bodyStart + html.index, html[0].length);
  let start = bodyStart;
  let previous = '';
  for (const line of head.split('\n')) {
    const heading = markedLine.exec(line.slice(0, longestTitle))?.[1];
    if (heading !== undefined) return placeTitle(heading, start, line.length);
    if (underline.test(line.slice(0, longestTitle)) && /\S/.test(previous) && !/^[-=~]{3}/.test(previous)) {
      return placeTitle(previous.trim(), start - previous.length - 1, previous.length);
    }
    previous = line;
    start += line.length + 1;
  }
  return undefined;
}

function placeTitle(title: string, start: number, length: number): Title {
  return { title: title.slice(0, longestTitle), start, end: start + length };
}
