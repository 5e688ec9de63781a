/** The kinds of files whose text is read, each by a reader of its own. */
export type FileKind =
  | 'pdf'
  | 'word'
  | 'sheets'
  | 'slides'
  | 'openText'
  | 'openSheets'
  | 'openSlides'
  | 'epub'
  | 'html'
  | 'mail'
  | 'richText'
  | 'text'
  /** Known, and not read. */
  | 'old';

const office = 'application/vnd.openxmlformats-officedocument';
const open = 'application/vnd.oasis.opendocument';

const byType: Readonly<Record<string, FileKind>> = {
  'application/pdf': 'pdf',
  [`${office}.wordprocessingml.document`]: 'word',
  [`${office}.wordprocessingml.template`]: 'word',
  'application/vnd.ms-word.document.macroenabled.12': 'word',
  'application/vnd.ms-word.template.macroenabled.12': 'word',
  [`${office}.spreadsheetml.sheet`]: 'sheets',
  [`${office}.spreadsheetml.template`]: 'sheets',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'sheets',
  'application/vnd.ms-excel.template.macroenabled.12': 'sheets',
  [`${office}.presentationml.presentation`]: 'slides',
  [`${office}.presentationml.slideshow`]: 'slides',
  [`${office}.presentationml.template`]: 'slides',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'slides',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.12': 'slides',
  [`${open}.text`]: 'openText',
  [`${open}.text-template`]: 'openText',
  [`${open}.spreadsheet`]: 'openSheets',
  [`${open}.spreadsheet-template`]: 'openSheets',
  [`${open}.presentation`]: 'openSlides',
  [`${open}.presentation-template`]: 'openSlides',
  'application/epub+zip': 'epub',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'message/rfc822': 'mail',
  'application/rtf': 'richText',
  'text/rtf': 'richText',
  'application/msword': 'old',
  'application/vnd.ms-excel': 'old',
  'application/vnd.ms-powerpoint': 'old',
  'application/vnd.ms-outlook': 'old',
};

const byEnding: Readonly<Record<string, FileKind>> = {
  pdf: 'pdf',
  docx: 'word',
  docm: 'word',
  dotx: 'word',
  xlsx: 'sheets',
  xlsm: 'sheets',
  xltx: 'sheets',
  pptx: 'slides',
  pptm: 'slides',
  ppsx: 'slides',
  odt: 'openText',
  ott: 'openText',
  ods: 'openSheets',
  odp: 'openSlides',
  epub: 'epub',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  eml: 'mail',
  rtf: 'richText',
  doc: 'old',
  xls: 'old',
  ppt: 'old',
  msg: 'old',
  pages: 'old',
};

/** Types that say nothing about the content. */
const vague: ReadonlySet<string> = new Set(['', 'application/octet-stream', 'application/zip', 'binary/octet-stream']);

/**
 * What kind of file this is, by its media type, and by its name where the type says nothing. Undefined for one whose
 * text is not read.
 */
export function kindOf(mediaType: string, name: string): FileKind | undefined {
  const [bare = ''] = mediaType.split(';');
  const type = bare.trim().toLowerCase();
  if (Object.hasOwn(byType, type)) return byType[type];
  if (type.startsWith('text/')) return 'text';
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return vague.has(type) && Object.hasOwn(byEnding, ending) ? byEnding[ending] : undefined;
}
