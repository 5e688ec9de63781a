import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import type { Extraction } from '../../lib/domain/extraction.js';
import { Extractor } from '../../lib/extraction/extractor.js';
import {
  makeDocx,
  makeEpub,
  makeOpenDocument,
  makeRelations,
  makeXlsx,
  wordText,
} from '../support/files/make-office.js';
import { assemblePdf, makePdf, makePdfOf, makeStream, packedStream } from '../support/files/make-pdf.js';
import { makeZip, packEntry } from '../support/files/make-zip.js';

/** Bytes that the system lets a child have. */
const memory = 400 * 1024 * 1024;
/** The limit counts what a process has of its own. The program of Node and its libraries come on top. */
const ofProgram = 90 * 1024 * 1024;

/** 1 GiB of zeros, packed three times. */
const gibibyte =
  'eNqruPX2jqHeUkaJtov/25xEzoho9fL6aF70yPBZvUBsqZPmzHO+F253euVbWScs28QQ2LGCpdBc8ef84mkfpubvs6n/Z/9vrk9b4oy4ffG2ujp8DAwMB074/p97traX8fCt43fPvbNjYGAwKGs/7f15c+CDtwmlty0ZGBgSvuiZmdedsWOZ59//fC4zAwODW/7Tr4nZ21jv1MX8v1PMz8DAILG3+iADAwODhyAPkGoQA3MyIBwJZM6ozKjMqMyozKjMqAwhGcuouKgft5jOxfv51/Hfz/n77LrBT5aktE33AddEOz4=';

/** Bytes that look like chance and are the same in each run. */
function makeNoise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 123_456_789;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

describe('A hostile file', function () {
  this.timeout(60_000);
  let extractor: Extractor;
  let peak = 0;

  before(() => {
    extractor = new Extractor({
      memory,
      isWatched: true,
      onRead: (outcome) => {
        peak = outcome.peak;
      },
    });
  });
  after(() => extractor.close());

  async function read(name: string, bytes: Buffer, mediaType = ''): Promise<Extraction> {
    const from = process.hrtime.bigint();
    const found = await extractor.extract({ bytes, mediaType, name, writer: name });
    if (process.env['TEST_FIGURES'] !== undefined) {
      const took = Number((process.hrtime.bigint() - from) / 1_000_000n);
      const what = 'reason' in found ? found.reason : `${found.text.length} characters, cut: ${found.isCut}`;
      process.stderr.write(`      ${name}: ${what}, ${took} ms, ${Math.round(peak / 1e6)} MB\n`);
    }
    assert.ok(peak < memory + ofProgram, `${name} took ${Math.round(peak / 1e6)} MB`);
    return found;
  }

  async function refuses(reason: string, name: string, bytes: Buffer, mediaType = ''): Promise<void> {
    assert.deepEqual(await read(name, bytes, mediaType), { reason }, name);
  }

  it('that unpacks to gigabytes within a PDF ends at the limit of memory or of time', async () => {
    const page = packedStream(Buffer.from(gibibyte, 'base64'), '/Filter [/FlateDecode /FlateDecode /FlateDecode]');
    const found = await read('bomb.pdf', makePdfOf([page]));
    assert.ok('reason' in found && ['too_much_memory', 'too_long'].includes(found.reason), JSON.stringify(found));
  });

  it('that unpacks to far more than its size is refused before it is unpacked, and where it lies about it', async () => {
    const size = 64 * 1024 * 1024;
    const packed = deflateRawSync(Buffer.alloc(size, ' '));
    await refuses('expands_too_far', 'blanks.docx', makeDocx({ packed, size }));
    await refuses('damaged', 'liar.docx', makeDocx({ packed, size: 1000 }));
    const text = wordText('words '.repeat(200_000));
    await refuses('expands_too_far', 'repeated.docx', makeDocx(text.repeat(20)));
  });

  it('with many entries that expand little is refused when all together are too large', async () => {
    // Each is just below the bound of one entry.
    const chapter = packEntry(Buffer.from(`<p>x</p>${' '.repeat(4_000_000)}`));
    await refuses('expands_too_far', 'many.epub', makeEpub(Array.from({ length: 80 }, () => chapter)));
  });

  it('with a document type is refused, and reads no other file by it', async () => {
    const laughs = `<!DOCTYPE d [<!ENTITY a "ha">${'bcdefghij'
      .split('')
      .map((name, index) => `<!ENTITY ${name} "${`&${'abcdefghi'[index]};`.repeat(10)}">`)
      .join('')}]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>`;
    await refuses('has_doctype', 'laughs.docx', makeDocx(Buffer.from(laughs)));
    const passwd = `<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document xmlns:w="w"><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>`;
    await refuses('has_doctype', 'passwd.docx', makeDocx(Buffer.from(passwd)));
    const odt = makeOpenDocument('text', '', { 'content.xml': passwd });
    await refuses('has_doctype', 'passwd.odt', odt);
    const inPage = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>before &x; after</p>';
    const found = await read('passwd.html', Buffer.from(inPage), 'text/html');
    assert.ok('text' in found && !found.text.includes('root:'));
  });

  it('nested too deeply is refused', async () => {
    const deep = `${'<b>'.repeat(400_000)}${'</b>'.repeat(400_000)}`;
    await refuses('too_deep', 'deep.docx', makeDocx(deep));
    await refuses('too_deep', 'deep.html', Buffer.from(`${'<div>'.repeat(300_000)}x`), 'text/html');
    await refuses('too_deep', 'deep.rtf', Buffer.from(`{\\rtf1${'{'.repeat(400_000)}x`), 'text/rtf');
    const levels = Array.from(
      { length: 5000 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\n\n--b${level}\n`,
    );
    const mail = `From: a@example.org\n${levels.join('')}\ntext`;
    await refuses('too_deep', 'deep.eml', Buffer.from(mail), 'message/rfc822');
  });

  it('with too many parts is refused', async () => {
    const entries = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`e${index}`, '']));
    await refuses('too_many_parts', 'many.docx', makeZip(entries));
    const part = '--x\nContent-Type: application/pdf\nContent-Disposition: attachment\n\nx\n';
    const mail = `From: a@example.org\nContent-Type: multipart/mixed; boundary=x\n\n${part.repeat(100_000)}--x--\n`;
    await refuses('too_many_parts', 'many.eml', Buffer.from(mail), 'message/rfc822');
  });

  it('that is damaged is called so', async () => {
    const pdf = makePdf([['words of a page']]);
    const loop = assemblePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>']);
    await refuses('damaged', 'loop.pdf', loop);
    const promised = assemblePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 2000000000 >>',
    ]);
    await refuses('damaged', 'promised.pdf', promised);
    const arrays = assemblePdf([`<< /Type /Catalog /Pages ${'['.repeat(100_000)} >>`]);
    await refuses('damaged', 'arrays.pdf', arrays);
    const noise = makeNoise(3_000_000);
    for (const name of ['noise.pdf', 'noise.docx', 'noise.xlsx', 'noise.odt', 'noise.epub'])
      await refuses('damaged', name, noise);
    await refuses('damaged', 'noise.rtf', noise, 'text/rtf');
    const docx = makeDocx(wordText('some words', 'and more'));
    await refuses('damaged', 'half.docx', docx.subarray(0, docx.length / 2));
    await refuses('damaged', 'empty.docx', Buffer.alloc(0));
    await refuses('damaged', 'other.docx', pdf);
    await refuses('damaged', 'unclosed.docx', makeDocx('<w:p><w:r><w:t>words'));
    await refuses('damaged', 'cut.docx', makeDocx(Buffer.from('<w:document xmlns:w="w"><w:body>')));
    const sheet = makeXlsx({ A: '<row><c><v>1</c></row>' });
    await refuses('damaged', 'sheet.xlsx', sheet);
  });

  it('with bits flipped, or cut in half, ends in some way and leaves the next file alone', async () => {
    const files: Readonly<Record<string, Buffer>> = {
      'f.pdf': makePdf([['words of a page'], ['another page']]),
      'f.docx': makeDocx(wordText('some words', 'and more')),
      'f.xlsx': makeXlsx({ A: '<row><c><v>1</v></c></row>' }),
      'f.epub': makeEpub(['<p>words</p>']),
    };
    const noise = makeNoise(1000);
    for (const [name, bytes] of Object.entries(files)) {
      for (let round = 0; round < 4; round += 1) {
        const flipped = Buffer.from(bytes);
        for (let each = 0; each < 12; each += 1) {
          const at = noise.readUInt16LE((round * 24 + each * 2) % 998) % flipped.length;
          flipped[at] = (flipped[at] ?? 0) ^ (1 << (each % 8));
        }
        const found = await read(name, flipped);
        assert.ok(
          'text' in found || ['damaged', 'encrypted', 'no_text', 'expands_too_far'].includes(found.reason),
          name,
        );
      }
      await read(name, bytes.subarray(0, bytes.length / 2));
      assert.ok('text' in (await read(name, bytes)), name);
    }
  });

  it('that needs a password is called encrypted, and an old format old', async () => {
    const pdf = assemblePdf(
      [
        '<< /Type /Catalog /Pages 2 0 R >>',
        '<< /Type /Pages /Kids [] /Count 0 >>',
        `<< /Filter /Standard /V 1 /R 2 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> /P -44 >>`,
      ],
      '/Encrypt 3 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]',
    );
    await refuses('encrypted', 'locked.pdf', pdf);
    const compound = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(600),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    await refuses('encrypted', 'locked.docx', compound);
    const locked = makeOpenDocument('text', '', {
      'META-INF/manifest.xml': '<m:m xmlns:m="m"><m:encryption-data/></m:m>',
    });
    await refuses('encrypted', 'locked.odt', locked);
    const zipped = makeDocx({ packed: deflateRawSync('secret'), size: 6, flags: 1 });
    await refuses('encrypted', 'locked-entry.docx', zipped);
    const book = makeEpub(['<p>x</p>'], {
      'META-INF/encryption.xml':
        '<e:encryption xmlns:e="e"><e:CipherReference URI="OEBPS/text/page%201.xhtml"/></e:encryption>',
    });
    await refuses('encrypted', 'locked.epub', book);
    const old = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    await refuses('old_format', 'old.doc', old, 'application/msword');
    await refuses('old_format', 'old.docx', old);
  });

  it('without words has no text', async () => {
    await refuses('no_text', 'scan.pdf', makePdfOf([makeStream('0 0 m 10 10 l S')]));
    await refuses('no_text', 'empty.docx', makeDocx(wordText(' ')));
  });

  it('with more on one page than is read is cut', async () => {
    // Far from each other, so that each is a piece of its own.
    const places = Array.from(
      { length: 150_000 },
      (_, index) => `1 0 0 1 ${(index * 97) % 600} ${(index * 61) % 780} Tm (word) Tj`,
    );
    const words = `BT /F1 1 Tf ${places.join(' ')} ET`;
    const found = await read('crowded.pdf', makePdfOf([makeStream(words)]));
    assert.ok('text' in found && found.isCut && found.text.length > 100_000);
  });

  it('with pictures within pictures ends with its time', async () => {
    const form = (next: number): Buffer =>
      makeStream(
        '/X Do '.repeat(10),
        `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${next} 0 R >> >>`,
      );
    const last = makeStream(
      'BT /F1 9 Tf (word) Tj ET',
      '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> >>',
    );
    const forms = Array.from({ length: 6 }, (_, index) => form(index + 7));
    const objects = [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [4 0 R] /Count 1 >>',
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >> /Contents 5 0 R >>',
      makeStream('/X Do '.repeat(10)),
      ...forms,
      last,
    ];
    const hurried = new Extractor({ seconds: 1 });
    try {
      const bytes = assemblePdf(objects);
      assert.deepEqual(await hurried.extract({ bytes, mediaType: '', name: 'forms.pdf', writer: 'a' }), {
        reason: 'too_long',
      });
    } finally {
      hurried.close();
    }
  });

  it('whose styles are as large as its text takes no more', async () => {
    const style = '<w:style w:styleId="x"><w:name w:val="heading 1"/></w:style>'.repeat(100_000);
    const bytes = makeDocx(wordText('words'), {
      'word/_rels/document.xml.rels': makeRelations([['styles', 'styles.xml']]),
      'word/styles.xml': `<w:styles xmlns:w="w">${style}</w:styles>`,
    });
    const found = await read('styles.docx', bytes);
    assert.ok('reason' in found ? found.reason === 'expands_too_far' : found.text === 'words\n');
  });
});
