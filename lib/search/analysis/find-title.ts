import { isMap, parseDocument } from 'yaml';
import { runAtOnce } from '../../scheduling/in-steps.js';
import { endOfFrontMatter } from './front-matter.js';
import { isMarkdownName, showText } from './show-text.js';

/** Characters at the start of a text that are searched for its title. */
const headLength = 8_000;
const maxTitleLength = 300;
/** Of the line of a title, with marks that are not shown. */
const maxLineLength = 1200;

/** The attributes of `<title>`. */
const maxAttributesLength = 200;

const titleName = 'title:';
/** The member `title`, with the lines that go on from it: those further in, and blank ones. */
const titleMember = /^title:[^\n]*(?:\n(?:[ \t][^\n]*|\r?(?=\n[ \t])))*/m;
/** Of a member `title`, enough for the longest title in any notation. Characters. */
const maxMemberLength = 2000;
const htmlTitle = /<title/i;
/** `# Title` of Markdown, `= Title` of AsciiDoc. */
const markedLine = /^[ ]{0,3}(?:#{1,6}|=)[ \t]+(\S.*)$/;
const underline = /^(?:={3,}|-{3,}|~{3,})[ \t]*$/;

/** The place of a title: its words, and the span of its line in the text, to be read once only. */
export interface Title {
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

/** The title in the front matter or of an HTML page, else the first heading; undefined when the text shows none. */
export function findTitle(text: string, name: string): Title | undefined {
  const bodyStart = endOfFrontMatter(text);
  const front = readFrontMatter(text.slice(0, bodyStart));
  if (front !== undefined) return { title: front, start: 0, end: 0 };
  const head = text.slice(bodyStart, bodyStart + headLength);
  const html = findHtmlTitle(head);
  if (html !== undefined) {
    return { title: show(html.title, name), start: bodyStart + html.start, end: bodyStart + html.end };
  }
  let start = bodyStart;
  let previous = '';
  for (const line of head.split('\n')) {
    const heading = markedLine.exec(line.slice(0, maxTitleLength))?.[1];
    if (heading !== undefined) {
      const title = isMarkdownName(name) ? show(line.slice(0, maxLineLength), name) : heading;
      // It may be a picture alone.
      if (title !== '') return placeTitle(title, start, line.length);
    } else if (underline.test(line.slice(0, maxTitleLength)) && /\S/.test(previous) && !/^[-=~]{3}/.test(previous)) {
      return placeTitle(show(previous.slice(0, maxLineLength), name), start - previous.length - 1, previous.length);
    }
    previous = line;
    start += line.length + 1;
  }
  return undefined;
}

const show = (line: string, name: string): string => runAtOnce(showText(line, name)).text.trim();

/** The title of a document that its text does not show (`showText`): that in the front matter of Markdown. */
export function findUnreadTitle(text: string, name: string): Title | undefined {
  if (!isMarkdownName(name)) return undefined;
  const end = endOfFrontMatter(text);
  const title = readFrontMatter(text.slice(0, end));
  return title === undefined ? undefined : { title, start: text.slice(0, end).search(titleMember), end };
}

/** The title in front matter (YAML 1.2), as the words that its notation stands for. Dates and numbers are words, too. */
function readFrontMatter(front: string): string | undefined {
  const member = titleMember.exec(front)?.[0].slice(0, maxMemberLength);
  if (member === undefined) return undefined;
  const value = member.slice(titleName.length).trim();
  const title = (/^["'|>]/.test(value) ? readYaml(member) : readPlain(value)).trim().slice(0, maxTitleLength);
  return title === '' ? undefined : title;
}

/** A text in quotes or in a block. As it stands where it is no valid YAML. */
function readYaml(member: string): string {
  const { errors, contents } = parseDocument(member, { schema: 'failsafe', logLevel: 'silent' });
  const value: unknown = isMap(contents) ? contents.get('title') : undefined;
  if (errors.length === 0) return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : '';
  return member.split('\n', 1)[0]?.slice(titleName.length) ?? '';
}

/**
 * A text without quotes: its lines without their comments. A list or a mapping is no title. The package would read
 * hundreds of brackets in each other for a tenth of a second.
 */
function readPlain(value: string): string {
  if (value.startsWith('[') || value.startsWith('{')) return '';
  const lines = value.split('\n').map((line) => ` ${line.trim()}`.split(' #', 1)[0]?.trim() ?? '');
  return lines.filter((line) => line !== '').join(' ');
}

/** By hand: a pattern with two counted runs would try each length of the one with each of the other. */
function findHtmlTitle(head: string): Title | undefined {
  const start = htmlTitle.exec(head)?.index ?? -1;
  const opened = start < 0 ? -1 : head.indexOf('>', start);
  if (opened < 0 || opened - start > maxAttributesLength) return undefined;
  const end = head.indexOf('<', opened);
  if (end <= opened + 1 || end - opened > maxTitleLength) return undefined;
  return { title: head.slice(opened + 1, end), start, end: end + 1 };
}

function placeTitle(title: string, start: number, length: number): Title {
  return { title: title.slice(0, maxTitleLength), start, end: start + length };
}
