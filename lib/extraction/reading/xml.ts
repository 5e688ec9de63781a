import { SaxesParser } from 'saxes';
import { maxDepth } from '../bounds.js';
import type { Archive } from './archive.js';
import { Unreadable } from './unreadable.js';

export type Attributes = Readonly<Record<string, string>>;

/** What is told of an XML document, in its order. Names come without their prefix. */
export interface XmlHandler {
  open(name: string, attributes: Attributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** An attribute by its name without prefix. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  const found = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return found === undefined ? undefined : attributes[found];
}

/** An attribute that has a prefix, such as `r:id` beside `id`. */
export function prefixedAttributeOf(attributes: Attributes, name: string): string | undefined {
  const found = Object.keys(attributes).find((each) => each.endsWith(`:${name}`));
  return found === undefined ? undefined : attributes[found];
}

const declaredEncoding = /^<\?xml[^>]{0,100}?encoding=["']([\w.-]{1,40})["']/;

/** In which encoding an XML document is (XML 1.0, appendix F). @param start its first bytes */
function encodingOf(start: Buffer): string {
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return declaredEncoding.exec(start.toString('latin1', 0, 200))?.[1] ?? 'utf-8';
}

/** Reads an XML document in pieces. No document type is taken, and so no entity of its own. */
class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: false });
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  #depth = 0;

  /** @param left elements that are left out with all that they hold */
  constructor(handler: XmlHandler, left: ReadonlySet<string>) {
    const locals = new Map<string, string>();
    const localOf = (name: string): string => {
      const known = locals.get(name);
      if (known !== undefined) return known;
      const local = name.slice(name.indexOf(':') + 1);
      if (locals.size < 1000) locals.set(name, local);
      return local;
    };
    /** How deep within an element that is left out. */
    let outside = 0;
    this.#parser.on('doctype', () => {
      throw new Unreadable('has_doctype');
    });
    this.#parser.on('opentag', ({ name, attributes }) => {
      this.#depth += 1;
      if (this.#depth > maxDepth) throw new Unreadable('too_deep');
      const local = localOf(name);
      if (outside > 0 || left.has(local)) outside += 1;
      else handler.open(local, attributes);
    });
    this.#parser.on('closetag', ({ name }) => {
      this.#depth -= 1;
      if (outside > 0) outside -= 1;
      else handler.close?.(localOf(name));
    });
    const take = (text: string): void => {
      if (outside === 0) handler.text?.(text);
    };
    this.#parser.on('text', take);
    this.#parser.on('cdata', take);
  }

  write(piece: Buffer): void {
    this.#decoder ??= new TextDecoder(encodingOf(piece), { fatal: true });
    this.#parser.write(this.#decoder.decode(piece, { stream: true }));
  }

  end(): void {
    this.#parser.write(this.#decoder?.decode() ?? '').close();
  }
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Reads an entry of an archive as XML.
 * @param left elements that are left out with all that they hold
 * @returns whether there is one of this name
 * @throws Unreadable, and other errors for what is no XML
 */
export async function readXmlEntry(
  archive: Archive,
  name: string,
  handler: XmlHandler,
  left: ReadonlySet<string> = nothing,
): Promise<boolean> {
  const reader = new XmlReader(handler, left);
  const isThere = await archive.read(name, (piece) => reader.write(piece));
  if (isThere) reader.end();
  return isThere;
}
