import { deflateSync } from 'node:zlib';

/** A PDF of these objects, numbered from 1. The first is the catalogue. @param trailer more of its trailer */
export function assemblePdf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const places: number[] = [];
  let at = pieces[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    places.push(at);
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    pieces.push(piece);
    at += piece.length;
  }
  const lines = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${lines}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

/** A stream object, packed. */
export function makeStream(content: string | Buffer, more = ''): Buffer {
  return packedStream(deflateSync(content), `/Filter /FlateDecode ${more}`);
}

/** A stream object of bytes as they are. */
export function packedStream(packed: Buffer, dictionary: string): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${packed.length} >>\nstream\n`),
    packed,
    Buffer.from('\nendstream'),
  ]);
}

const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

/** A PDF with lines of text on each page. */
export function makePdf(pages: readonly (readonly string[])[]): Buffer {
  const content = pages.map((lines) =>
    makeStream(
      `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => `(${line.replaceAll(/[()\\]/g, '\\$&')}) Tj T*`).join(' ')} ET`,
    ),
  );
  return makePdfOf(content);
}

/** A PDF whose pages have these streams. @param fontObject the font `F1` */
export function makePdfOf(
  content: readonly Buffer[],
  fontObject = font,
  more: readonly (string | Buffer)[] = [],
): Buffer {
  const first = 4 + more.length;
  const kids = content.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  return assemblePdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${content.length} >>`,
    fontObject,
    ...more,
    ...content.flatMap((stream, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * index + 1} 0 R >>`,
      stream,
    ]),
  ]);
}
