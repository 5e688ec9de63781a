import { makeZip, type ZipContent } from './make-zip.js';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const namespaces = `xmlns:w="w" xmlns:a="a" xmlns:p="p" xmlns:r="${types}" xmlns:mc="mc"`;

/** The relations of a part: `rId1` and so on, each a kind and its target. */
export function makeRelations(relations: readonly (readonly [kind: string, target: string])[]): string {
  const each = relations.map(
    ([kind, target], index) => `<Relationship Id="rId${index + 1}" Type="${types}/${kind}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships>${each.join('')}</Relationships>`;
}

const rootOf = (target: string): Record<string, string> => ({
  '_rels/.rels': makeRelations([['officeDocument', target]]),
});

/** A docx. @param body the elements of its body @param more other entries, such as the relations of its text */
export function makeDocx(body: ZipContent, more: Readonly<Record<string, ZipContent>> = {}): Buffer {
  const document =
    typeof body === 'string' ? `${declaration}<w:document ${namespaces}><w:body>${body}</w:body></w:document>` : body;
  return makeZip({ ...rootOf('word/document.xml'), 'word/document.xml': document, ...more });
}

/** Paragraphs of Word. */
export const wordText = (...lines: readonly string[]): string =>
  lines.map((line) => `<w:p><w:r><w:t>${line}</w:t></w:r></w:p>`).join('');

/** An xlsx. @param sheets the rows of each sheet, as elements, by its name @param more such as shared texts */
export function makeXlsx(
  sheets: Readonly<Record<string, string>>,
  more: Readonly<Record<string, ZipContent>> = {},
  properties = '',
): Buffer {
  const names = Object.keys(sheets);
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  const relations = names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const);
  const rows = Object.values(sheets).map((each, index) => [
    `xl/worksheets/sheet${index + 1}.xml`,
    `${declaration}<worksheet><sheetData>${each}</sheetData></worksheet>`,
  ]);
  return makeZip({
    ...rootOf('xl/workbook.xml'),
    'xl/workbook.xml': `${declaration}<workbook ${namespaces}>${properties}<sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': makeRelations([
      ...relations,
      ['sharedStrings', 'sharedStrings.xml'],
      ['styles', '/xl/styles.xml'],
    ]),
    ...(Object.fromEntries(rows) as Record<string, string>),
    ...more,
  });
}

/** A pptx with a line on each slide. @param order the slides in the order in which they are shown, from 1 */
export function makePptx(
  slides: readonly string[],
  order: readonly number[],
  notes: Readonly<Record<number, string>>,
): Buffer {
  const line = (text: string): string => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`;
  const entries: Record<string, string> = {
    ...rootOf('ppt/presentation.xml'),
    'ppt/presentation.xml': `${declaration}<p:presentation ${namespaces}><p:sldIdLst>${order
      .map((number) => `<p:sldId id="${255 + number}" r:id="rId${number}"/>`)
      .join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': makeRelations(
      slides.map((_, index) => ['slide', `slides/slide${index + 1}.xml`] as const),
    ),
  };
  for (const [index, text] of slides.entries()) {
    entries[`ppt/slides/slide${index + 1}.xml`] =
      `${declaration}<p:sld ${namespaces}><p:txBody>${line(text)}</p:txBody></p:sld>`;
    const note = notes[index + 1];
    if (note === undefined) continue;
    entries[`ppt/slides/_rels/slide${index + 1}.xml.rels`] = makeRelations([
      ['notesSlide', `../notesSlides/notes${index + 1}.xml`],
    ]);
    entries[`ppt/notesSlides/notes${index + 1}.xml`] =
      `${declaration}<p:notes ${namespaces}><p:txBody>${line(note)}<a:p><a:fld type="slidenum"><a:t>99</a:t></a:fld></a:p></p:txBody></p:notes>`;
  }
  return makeZip(entries);
}

/** A file of OpenDocument. @param body the elements within `office:body` */
export function makeOpenDocument(type: string, body: string, more: Readonly<Record<string, ZipContent>> = {}): Buffer {
  return makeZip({
    mimetype: `application/vnd.oasis.opendocument.${type}`,
    'META-INF/manifest.xml': `${declaration}<manifest:manifest xmlns:manifest="m"/>`,
    'content.xml': `${declaration}<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d"><office:automatic-styles/><office:body>${body}</office:body></office:document-content>`,
    ...more,
  });
}

/** A book of these pages. */
export function makeEpub(pages: readonly ZipContent[], more: Readonly<Record<string, ZipContent>> = {}): Buffer {
  const name = (index: number): string => `text/page ${index + 1}.xhtml`;
  const items = pages.map((_, index) => `<item id="p${index}" href="${encodeURI(name(index))}"/>`).join('');
  return makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': `${declaration}<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`,
    'OEBPS/book.opf': `${declaration}<package><manifest>${items}</manifest><spine>${pages
      .map((_, index) => `<itemref idref="p${index}"/>`)
      .join('')}</spine></package>`,
    ...Object.fromEntries(pages.map((page, index) => [`OEBPS/${name(index)}`, page])),
    ...more,
  });
}
