import { SaxesParser, type SaxesTagNS } from 'saxes';
import { yieldToLoop } from '../scheduling/yield-to-loop.js';
import { EgressFault } from './egress-fault.js';

/** An element with what is in it. */
export interface XmlElement {
  /** Its namespace; '' for none. */
  readonly uri: string;
  readonly local: string;
  /** The text directly in it, in one piece. */
  readonly text: string;
  readonly children: readonly XmlElement[];
}

interface Building {
  readonly uri: string;
  readonly local: string;
  text: string;
  readonly children: XmlElement[];
}

/** Bounds of one child of the root. Real ones have about thirty elements and two thousand characters. */
const maxElements = 100;
const maxText = 64 * 1024;
const maxDepth = 16;
/** Characters without a tag's end: a name, an attribute or a text that goes on and on. */
const maxToken = 128 * 1024;
/** Bytes that are parsed in one go. They take about a millisecond. */
const pieceSize = 32 * 1024;

/**
 * Reads an XML document while it arrives. The children of its root come out one after the other, in parts, so that a
 * document of any length takes little memory. A document type is refused, and with it every entity of its own.
 * @param isRoot whether this is the root that is expected
 * @throws EgressFault `corrupt` for what is not such a document, or ends too early
 */
export async function* readXml(
  body: AsyncIterable<Buffer>,
  isRoot: (root: Pick<XmlElement, 'uri' | 'local'>) => boolean,
): AsyncGenerator<readonly XmlElement[], void, undefined> {
  const reader = new ElementReader(isRoot);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of body) {
    for (let start = 0; start < chunk.length; start += pieceSize) {
      const bytes = chunk.subarray(start, start + pieceSize);
      yield reader.take(() => decoder.decode(bytes, { stream: true }));
      await yieldToLoop();
    }
  }
  yield reader.end(() => decoder.decode());
}

/** The child of that name; undefined where there is none. */
export function childOf(element: XmlElement, local: string, uri = element.uri): XmlElement | undefined {
  return element.children.find((child) => child.local === local && child.uri === uri);
}

/** The text of the child of that name, without white space around it; undefined where there is none. */
export function textOf(element: XmlElement, local: string, uri = element.uri): string | undefined {
  return childOf(element, local, uri)?.text.trim();
}

class Unreadable extends Error {}

class ElementReader {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #isRoot: (root: Pick<XmlElement, 'uri' | 'local'>) => boolean;
  #done: XmlElement[] = [];
  /** The child of the root that is being read, and the elements within each other in it. */
  readonly #open: Building[] = [];
  #depth = 0;
  #elements = 0;
  #text = 0;
  /** Characters since the last end of a tag. */
  #token = 0;

  constructor(isRoot: (root: Pick<XmlElement, 'uri' | 'local'>) => boolean) {
    this.#isRoot = isRoot;
    this.#parser.on('error', (error) => {
      throw error;
    });
    this.#parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
      if (!['utf-8', 'us-ascii'].includes(encoding.toLowerCase())) throw new Unreadable('not UTF-8');
    });
    this.#parser.on('doctype', () => {
      throw new Unreadable('a document type');
    });
    this.#parser.on('opentag', (tag) => this.#begin(tag));
    this.#parser.on('closetag', () => this.#finish());
    this.#parser.on('text', (text) => this.#add(text));
    this.#parser.on('cdata', (text) => this.#add(text));
  }

  take(decode: () => string): readonly XmlElement[] {
    return this.#guarded(() => {
      const text = decode();
      this.#token += text.length;
      this.#parser.write(text);
      if (this.#token > maxToken) throw new Unreadable('a token without end');
    });
  }

  end(decode: () => string): readonly XmlElement[] {
    return this.#guarded(() => void this.#parser.write(decode()).close());
  }

  #guarded(work: () => void): readonly XmlElement[] {
    try {
      work();
    } catch (cause) {
      throw new EgressFault('corrupt', 'The source answered with XML that is incomplete or malformed.', { cause });
    }
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #begin({ uri, local }: SaxesTagNS): void {
    this.#token = 0;
    this.#depth += 1;
    if (this.#depth === 1) {
      if (!this.#isRoot({ uri, local })) throw new Unreadable('another document');
      return;
    }
    this.#elements += 1;
    if (this.#depth > maxDepth || this.#elements > maxElements) throw new Unreadable('too much in one element');
    this.#open.push({ uri, local, text: '', children: [] });
  }

  #finish(): void {
    this.#token = 0;
    this.#depth -= 1;
    const element = this.#open.pop();
    if (element === undefined) return;
    const parent = this.#open.at(-1);
    if (parent !== undefined) {
      parent.children.push(element);
      return;
    }
    this.#done.push(element);
    this.#elements = 0;
    this.#text = 0;
  }

  #add(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    this.#text += text.length;
    if (this.#text > maxText) throw new Unreadable('too much text in one element');
    element.text += text;
  }
}
