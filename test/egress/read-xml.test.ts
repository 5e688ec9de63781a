import assert from 'node:assert/strict';
import { readXml, textOf, type XmlElement } from '../../lib/egress/read-xml.js';
import { assertFault } from '../support/connectors/assert-fault.js';

describe('XML of a source', () => {
  it('is read the same in pieces of every size', async () => {
    const text =
      '\uFEFF<?xml version="1.0"?><d:list xmlns:d="DAV:" xmlns="x"><a>ü&amp;<![CDATA[<ß>]]>&#x1F5C2;</a><d:b><c/>t</d:b></d:list>';
    const whole = await read(text);
    assert.deepEqual(whole, [
      { uri: 'x', local: 'a', text: 'ü&<ß>🗂', children: [] },
      { uri: 'DAV:', local: 'b', text: 't', children: [{ uri: 'x', local: 'c', text: '', children: [] }] },
    ]);
    for (const size of [1, 2, 3, 7, 64]) assert.deepEqual(await read(text, size), whole);
  });

  it('names its elements by their namespace', async () => {
    const [element] = await read(
      '<list xmlns:o="own"><a><o:id> 1 </o:id><id xmlns="other">2</id><id>3</id></a></list>',
    );
    assert.ok(element !== undefined);
    assert.deepEqual(
      [textOf(element, 'id', 'own'), textOf(element, 'id', 'other'), textOf(element, 'id'), textOf(element, 'no')],
      ['1', '2', '3', undefined],
    );
  });

  it('has no document type, and so no entities that grow', async () => {
    const lol = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
      '',
    );
    await refused(`<!DOCTYPE list [<!ENTITY l0 "lol">${lol}]><list><a>&l9;</a></list>`);
    await refused('<!DOCTYPE list [<!ENTITY x SYSTEM "file:///etc/passwd">]><list><a>&x;</a></list>');
    await refused('<!DOCTYPE list SYSTEM "http://127.0.0.1/x.dtd"><list/>');
    await refused('<list><a>&unknown;</a></list>');
  });

  it('is whole: what ends too early, or is something else, is refused', async () => {
    for (const text of [
      '',
      ' ',
      '<list>',
      '<list><a>',
      '<list><a/>',
      '<list></a>',
      '<html></html>',
      '<list/><list/>',
      '{"list":[]}',
      '<list>&</list>',
      '<list a="1" a="2"/>',
      '<list><a>\u0001</a></list>',
      '<x:list/>',
      '<list><a></list></a>',
    ])
      await refused(text);
  });

  it('XML of a source is read as UTF-8', async () => {
    await refused(Buffer.from('<list><a>ü</a></list>', 'latin1'));
    await refused(Buffer.from('\uFEFF<list/>', 'utf16le'));
    await refused('<?xml version="1.0" encoding="ISO-8859-1"?><list/>');
    assert.deepEqual(await read('<?xml version="1.0" encoding="UTF-8"?><list/>'), []);
  });

  it('is bounded in depth, in elements, in text and in names', async () => {
    await refused(`<list>${'<a>'.repeat(100_000)}`);
    await refused(`<list><a>${'<b/>'.repeat(600)}</a></list>`);
    await refused(`<list><a>${'x'.repeat(70_000)}</a></list>`);
    await refused(`<list><a><b>${'x'.repeat(40_000)}</b><b>${'x'.repeat(40_000)}</b></a></list>`);
    await refused(`<list><${'n'.repeat(300_000)}/></list>`);
    await refused(`<list><a ${Array.from({ length: 40_000 }, (_, index) => `a${index}=""`).join(' ')}/></list>`);
    await refused(`<list><!-- ${'x'.repeat(300_000)} --></list>`);
    await refused(`<list a="${'x'.repeat(300_000)}"/>`);
    assert.equal((await read(`<list>${'<a/>'.repeat(5000)}</list>`)).length, 5000);
  });

  it('stops when its reader stops', async () => {
    let given = 0;
    const endless = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('<list>');
      for (;;) {
        given += 1;
        yield await Promise.resolve(Buffer.from('<a/>'.repeat(100)));
      }
    };
    for await (const part of readXml(endless(), () => true)) if (part.length > 0) break;
    assert.ok(given <= 2);
  });
});

const refused = async (text: string | Buffer): Promise<void> =>
  assertFault(read(text), 'corrupt', /incomplete or malformed/);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size)
    yield await Promise.resolve(bytes.subarray(start, start + size));
}

async function read(text: string | Buffer, size = 1_000_000): Promise<XmlElement[]> {
  const found: XmlElement[] = [];
  for await (const part of readXml(inPieces(Buffer.from(text), size), ({ local }) => local === 'list'))
    found.push(...part);
  return found;
}
