import assert from 'node:assert/strict';
import type { ExtractedText } from '../../lib/domain/extraction.js';
import { Extractor } from '../../lib/extraction/extractor.js';
import {
  makeDocx,
  makeEpub,
  makeOpenDocument,
  makePptx,
  makeRelations,
  makeXlsx,
  wordText,
} from '../support/files/make-office.js';
import { makePdf, makePdfOf, makeStream } from '../support/files/make-pdf.js';

describe('The text of a file', function () {
  this.timeout(20_000);
  let extractor: Extractor;

  before(() => {
    extractor = new Extractor();
  });
  after(() => extractor.close());

  async function read(name: string, bytes: Buffer, mediaType = ''): Promise<ExtractedText> {
    const found = await extractor.extract({ bytes, mediaType, name, writer: 'them/ada' });
    assert.ok(!('reason' in found), `reason: ${JSON.stringify(found)}`);
    return found;
  }

  /** The text of each part, by its title. */
  function partsOf({ text, parts }: ExtractedText): Record<string, string> {
    const cut = parts.map(({ title, offset }, index) => [title, text.slice(offset, parts[index + 1]?.offset).trim()]);
    return Object.fromEntries(cut) as Record<string, string>;
  }

  /** The lines that are headings, with their levels. */
  function headingsOf({ text, headings }: ExtractedText): string[] {
    return headings.map(({ level, offset }) => `${level} ${text.slice(offset).split('\n')[0]}`);
  }

  it('of a PDF has a part for each page', async () => {
    const found = await read('a.pdf', makePdf([['Budget of (March)', 'second line'], ['Total 1,200']]));
    assert.deepEqual(partsOf(found), { 'Page 1': 'Budget of (March)\nsecond line', 'Page 2': 'Total 1,200' });
    assert.equal(found.isCut, false);
  });

  it('of a PDF has a word as one that is divided between two lines, and keeps other hyphens', async () => {
    const lines = ['An optimi-', 'zation of well-known pumps, A-', 'B, 10-', '20, and pre-', 'Columbian ones: end-'];
    const found = await read('a.pdf', makePdf([lines, ['less.']]));
    assert.deepEqual(partsOf(found), {
      'Page 1': 'An optimization of well-known pumps, A-\nB, 10-\n20, and pre-\nColumbian ones: end-',
      'Page 2': 'less.',
    });
  });

  it('of a PDF has Japanese words, whose codes are in a map that ships with the program', async () => {
    const font =
      '<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin-Light /Encoding /90ms-RKSJ-H /DescendantFonts [4 0 R] >>';
    const descendant =
      '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor 5 0 R >>';
    const descriptor =
      '<< /Type /FontDescriptor /FontName /Ryumin-Light /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>';
    // 日本 in Shift_JIS.
    const page = makeStream('BT /F1 12 Tf 72 720 Td <93FA967B> Tj ET');
    const found = await read('j.pdf', makePdfOf([page], font, [descendant, descriptor]));
    assert.equal(partsOf(found)['Page 1'], '日本');
  });

  it('of a docx has headings, tables and notes, and no text that stands twice', async () => {
    const body =
      '<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>' +
      '<w:p><w:r><w:t xml:space="preserve">The bud</w:t></w:r><w:r><w:t>get &amp; more</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>' +
      '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>two</w:t></w:r></w:p></w:tc></w:tr></w:tbl>' +
      '<mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>';
    const bytes = makeDocx(body, {
      'word/_rels/document.xml.rels': makeRelations([
        ['styles', 'styles.xml'],
        ['footnotes', 'footnotes.xml'],
      ]),
      'word/styles.xml':
        '<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>',
      'word/footnotes.xml': `<w:footnotes xmlns:w="w">${wordText('a note')}</w:footnotes>`,
    });
    const found = await read('a.docx', bytes);
    assert.equal(found.text, 'Plan\nThe budget & more\none \ttwo \t\nbox\na note\n');
    assert.deepEqual(headingsOf(found), ['1 Plan']);
    assert.deepEqual(partsOf(found), { Footnotes: 'a note' });
  });

  it('of an xlsx has a line for each row, with dates as dates', async () => {
    const rows =
      '<row><c t="s"><v>0</v></c><c s="1"><v>46354</v></c><c s="2"><v>46354.604166666664</v></c><c s="3"><v>0.1</v></c><c s="4"><v>46354</v></c></row>' +
      '<row><c t="inlineStr"><is><t>inside</t></is></c><c t="b"><v>1</v></c><c t="str"><v>made</v></c></row>';
    const bytes = makeXlsx(
      { Budget: rows, 'Second one': '<row><c><v>7</v></c></row>' },
      {
        'xl/sharedStrings.xml': '<sst><si><r><t>sha</t></r><r><t>red</t></r><rPh><t>reading</t></rPh></si></sst>',
        'xl/styles.xml':
          '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[$-409]dd/mm/yyyy hh:mm;@"/><numFmt numFmtId="165" formatCode="#,##0 &quot;days&quot;"/></numFmts>' +
          '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="20"/><xf numFmtId="165"/></cellXfs></styleSheet>',
      },
    );
    const found = await read('a.xlsx', bytes);
    assert.deepEqual(partsOf(found), {
      'Sheet Budget': 'shared\t2026-11-28\t2026-11-28 14:30\t02:24\t46354\ninside\tTRUE\tmade',
      'Sheet Second one': '7',
    });
    const from1904 = makeXlsx(
      { A: '<row><c s="0"><v>44892</v></c></row>' },
      {
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
      },
      '<workbookPr date1904="1"/>',
    );
    assert.equal(partsOf(await read('b.xlsx', from1904))['Sheet A'], '2026-11-28');
  });

  it('of a pptx has the slides in the order in which they are shown, with their notes', async () => {
    const found = await read('a.pptx', makePptx(['first made', 'shown first'], [2, 1], { 2: 'say this' }));
    assert.deepEqual(partsOf(found), { 'Slide 1': 'shown first\nsay this', 'Slide 2': 'first made' });
  });

  it('of OpenDocument has headings, sheets and slides, and nothing that was deleted', async () => {
    const text = await read(
      'a.odt',
      makeOpenDocument(
        'text',
        '<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Plan</text:h><text:p>a<text:s text:c="2"/>b<text:tab/>c<text:line-break/>d</text:p></office:text>',
      ),
    );
    assert.equal(text.text, 'Plan\na  b\tc\nd\n');
    assert.deepEqual(headingsOf(text), ['2 Plan']);
    const sheet = await read(
      'a.ods',
      makeOpenDocument(
        'spreadsheet',
        '<office:spreadsheet><table:table table:name="Budget"><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>28.11.2026</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>',
      ),
    );
    assert.deepEqual(partsOf(sheet), { 'Sheet Budget': 'a \t28.11.2026' });
    const slides = await read(
      'a.odp',
      makeOpenDocument(
        'presentation',
        '<office:presentation><draw:page><text:p>one</text:p></draw:page><draw:page><text:p>two</text:p></draw:page></office:presentation>',
      ),
    );
    assert.deepEqual(partsOf(slides), { 'Slide 1': 'one', 'Slide 2': 'two' });
  });

  it('of a book has its chapters in the order of reading', async () => {
    const page = (words: string): string =>
      `<?xml version="1.0"?><!DOCTYPE html><html><head><title>t</title></head><body><h1>${words}</h1><p>text</p></body></html>`;
    const found = await read('a.epub', makeEpub([page('One'), page('Two')]));
    assert.deepEqual(partsOf(found), { 'Chapter 1': 'One\ntext', 'Chapter 2': 'Two\ntext' });
    assert.deepEqual(headingsOf(found), ['1 One', '1 Two']);
  });

  it('of a page has what is shown', async () => {
    const page =
      '<!doctype html><html><head><title>no</title><style>no</style></head><body><script>no</script><h2>Plan</h2><p>one <b>bo</b>ld\n word &eacute;&#x1F3AF;<br>next<ul><li>item</ul><table><tr><td>a<td>b<tr><td>c</table><pre>x\n  y</pre><img alt="a picture"></body></html>';
    const found = await read('a.html', Buffer.from(page), 'text/html');
    assert.equal(found.text, 'Plan\none bold word é🎯\nnext\nitem\na\tb\t\nc\t\nx\n  y\na picture\n');
    assert.deepEqual(headingsOf(found), ['2 Plan']);
    const latin = Buffer.from('<meta charset="iso-8859-1"><p>caf\xe9</p>', 'latin1');
    assert.equal((await read('b.html', latin, 'text/html')).text, 'café\n');
  });

  it('of a mail has its head, its text and its attachments one level deep', async () => {
    const attachment = makeDocx(wordText('inside the docx')).toString('base64');
    const mail = [
      'From: Ada <ada@example.org>',
      'To: Bob <bob@example.org>',
      'Subject: =?utf-8?B?w5xiZXIgdW5z?=',
      'Date: Sat, 28 Nov 2026 09:00:00 +0000',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'caf=E9 at nine',
      '--x',
      'Content-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'Content-Disposition: attachment; filename=plan.docx',
      'Content-Transfer-Encoding: base64',
      '',
      attachment,
      '--x--',
    ].join('\r\n');
    const found = await read('a.eml', Buffer.from(mail), 'message/rfc822');
    assert.match(
      found.text,
      /^Über uns\nFrom: Ada <ada@example\.org>\nTo: Bob <bob@example\.org>\nDate: .*\n\ncafé at nine/,
    );
    assert.deepEqual(partsOf(found), { 'Attachment 1': 'plan.docx\ninside the docx' });
  });

  it('of rich text has the characters of its code pages, and none of its tables and pictures', async () => {
    const source =
      '{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Times;}{\\f1\\fcharset204 Arial;}}{\\colortbl;\\red0;}{\\*\\generator no;}{\\info{\\title no}}' +
      "\\pard caf\\'e9 \\u1087?\\u1088? {\\f1 \\'ef\\'f0}\\par next\\tab line{\\pict 0102}\\par \\{x\\}}";
    assert.equal(
      (await read('a.rtf', Buffer.from(source, 'latin1'), 'text/rtf')).text,
      'café пр пр\nnext\tline\n{x}\n',
    );
  });

  it('in another encoding is read by its mark, its declared charset or its zero bytes', async () => {
    const read16 = await read('a.txt', Buffer.from('plain words', 'utf16le'), 'text/plain');
    assert.equal(read16.text, 'plain words');
    const marked = Buffer.from('\ufeffПлан', 'utf16le').swap16();
    assert.equal((await read('b.txt', marked, 'text/plain')).text, 'План');
    const declared = Buffer.from([0xef, 0xeb, 0xe0, 0xed]);
    assert.equal((await read('c.txt', declared, 'text/plain; charset=windows-1251')).text, 'план');
  });

  it('is not guessed where no charset is known', async () => {
    const found = await extractor.extract({
      bytes: Buffer.from([0xef, 0xeb, 0xe0, 0xed]),
      mediaType: 'text/plain',
      name: 'a.txt',
      writer: 'them/ada',
    });
    assert.deepEqual(found, { reason: 'damaged' });
  });

  it('is cut at ten mebibytes, between two characters', async () => {
    const bytes = Buffer.from(`<p>${'é'.repeat(6_000_000)}`);
    const found = await read('a.html', bytes, 'text/html; charset=utf-8');
    assert.equal(found.isCut, true);
    assert.equal(Buffer.byteLength(found.text), 10 * 1024 * 1024);
    assert.ok(!found.text.includes('\ufffd'));
  });
});
