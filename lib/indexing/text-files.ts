import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { extractionReasons, type ExtractionReason, type TextFacts } from '../domain/extraction.js';
import { extractorNumber } from '../extraction/extractor.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { decodeTextInSteps } from '../text/charset.js';
import { kindOf } from '../extraction/file-kinds.js';

/** What was made of a file: its text, or the reason why it has none. */
export type MadeText =
  ({ readonly text: string } & Pick<TextFacts, 'pages' | 'isCut'>) | { readonly reason: ExtractionReason };

/** What is known of a text without reading it, or the reason why there is none. */
export type KnownText = TextFacts | { readonly reason: ExtractionReason };

/** A content of a document, and what decides how it is read. */
export interface FileContent {
  /** The document's number. */
  readonly number: number;
  readonly blobOid: string;
  readonly mediaType: string;
  readonly name: string;
  /** The charset in which the policy has plain text read that declares none. */
  readonly charset?: string | undefined;
}

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

/** Bytes of a text; no extraction makes a longer one, with its headings. */
const maxBytes = 64 * 1024 * 1024;

/** The first line of a text's file: whether it is cut, its pages and its characters. Behind it lies the deflated text. */
const headPattern = /^([01]) (\d{1,9}) (\d{1,9})\n/;
/** Bytes within which a head ends. */
const longestHead = 32;

function writeHead({ isCut, pages, characters }: TextFacts): string {
  return `${isCut ? 1 : 0} ${pages} ${characters}\n`;
}

/** @returns with the length of the head in bytes; undefined for bytes that begin with none */
function readHead(bytes: Buffer): (TextFacts & { readonly length: number }) | undefined {
  const [head, cut, pages, characters] = headPattern.exec(bytes.toString('latin1', 0, longestHead)) ?? [];
  if (head === undefined) return undefined;
  return { isCut: cut === '1', pages: Number(pages), characters: Number(characters), length: head.length };
}

/** Whether the bytes are a text's file that can be read. */
export async function isSoundText(bytes: Buffer): Promise<boolean> {
  const head = readHead(bytes);
  if (head === undefined) return false;
  return inflate(bytes.subarray(head.length), { maxOutputLength: maxBytes }).then(
    () => true,
    () => false,
  );
}

function factsOf(made: MadeText): KnownText {
  if ('reason' in made) return made;
  const { text, pages, isCut } = made;
  return { pages, characters: text.length, isCut };
}

/** How the names of files with a text end. */
export const textEnding = '.text';

const endings = { text: textEnding, reason: '.reason', tries: '.tries' } as const;

/** Under another name a content can be one of another kind, and is read anew. So is text in another charset. */
export function keyOf(content: Omit<FileContent, 'number'>): string {
  return `${content.blobOid}.${wayOf(content)}`;
}

/** A word for the way in which the text of a content is made. */
export function wayOf({ mediaType, name, charset }: Omit<FileContent, 'number' | 'blobOid'>): string {
  const way = `${extractorNumber}.${kindOf(mediaType, name) ?? 'none'}`;
  return charset === undefined ? way : `${way}.${charset}`;
}

/**
 * The texts of files, each beside its document's others: a folder with the document's number, and in it files with the
 * name of the content. They are derived: whoever deletes them has them made again. Nothing is shared between documents
 * of the same content, because a text that is there at once would tell that somebody else has the file.
 */
export class TextFiles {
  readonly #folder: string | null;
  /** Without a folder. */
  readonly #memory = new Map<number, Map<string, MadeText>>();

  /** @param folder null to keep them in memory */
  constructor(folder: string | null) {
    this.#folder = folder;
    if (folder !== null) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Whether something is known of the content. */
  has(content: FileContent): boolean {
    if (this.#folder === null) return this.#memory.get(content.number)?.has(keyOf(content)) ?? false;
    return [endings.text, endings.reason].some((ending) => fs.existsSync(this.#pathOf(content, ending)));
  }

  /** Undefined where nothing is known of the content, and where its file is damaged. */
  async read(content: FileContent): Promise<MadeText | undefined> {
    if (this.#folder === null) return this.#memory.get(content.number)?.get(keyOf(content));
    const bytes = await readIfThere(this.#pathOf(content, endings.text));
    if (bytes !== undefined) {
      const head = readHead(bytes);
      const text =
        head && (await inflate(bytes.subarray(head.length), { maxOutputLength: maxBytes }).catch(() => undefined));
      // A damaged file is as good as none, and has to look like that.
      if (text === undefined) fs.rmSync(this.#pathOf(content, endings.text), { force: true });
      else {
        const words = await runCooperatively(decodeTextInSteps(text, ''));
        return { text: words, pages: head?.pages ?? 0, isCut: head?.isCut ?? false };
      }
    }
    return this.#readReason(content);
  }

  /** What is known of the content's text: of a text only the beginning of its file is read. */
  async look(content: FileContent): Promise<KnownText | undefined> {
    if (this.#folder === null) {
      const made = this.#memory.get(content.number)?.get(keyOf(content));
      return made && factsOf(made);
    }
    const bytes = await readIfThere(this.#pathOf(content, endings.text), longestHead);
    const head = bytes && readHead(bytes);
    if (bytes !== undefined && head === undefined) fs.rmSync(this.#pathOf(content, endings.text), { force: true });
    if (head === undefined) return this.#readReason(content);
    const { pages, characters, isCut } = head;
    return { pages, characters, isCut };
  }

  async #readReason(content: FileContent): Promise<{ readonly reason: ExtractionReason } | undefined> {
    const word = (await readIfThere(this.#pathOf(content, endings.reason)))?.toString('utf8');
    if (word === undefined) return undefined;
    const reason = extractionReasons.find((each) => each === word);
    if (reason === undefined) fs.rmSync(this.#pathOf(content, endings.reason), { force: true });
    return reason === undefined ? undefined : { reason };
  }

  /** @param isWanted asked in the moment in which it would be there for others to see */
  async write(content: FileContent, made: MadeText, isWanted: () => boolean): Promise<void> {
    const bytes =
      'text' in made
        ? Buffer.concat([
            Buffer.from(writeHead({ ...made, characters: made.text.length })),
            await deflate(Buffer.from(made.text)),
          ])
        : Buffer.from(made.reason);
    if (!isWanted()) return;
    if (this.#folder === null) {
      this.#memory.set(content.number, new Map([[keyOf(content), made]]));
      return;
    }
    // From here on nothing else runs, so that no erase comes between the question and the file.
    const file = this.#pathOf(content, 'text' in made ? endings.text : endings.reason);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(`${file}.new`, bytes, { mode: 0o600 });
    fs.renameSync(`${file}.new`, file);
    const name = path.basename(file);
    for (const other of fs.readdirSync(path.dirname(file))) {
      if (other !== name) fs.rmSync(path.join(path.dirname(file), other), { force: true });
    }
  }

  /**
   * Notes that the content is about to be read. The note is gone when `write` has come, or `endTry`.
   * @returns how often that was noted and nothing came of it: each time the process has ended
   */
  noteTry(content: FileContent): number {
    if (this.#folder === null) return 0;
    const file = this.#pathOf(content, endings.tries);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const before = fs.existsSync(file) ? fs.statSync(file).size : 0;
    fs.appendFileSync(file, '.', { mode: 0o600 });
    return before;
  }

  endTry(content: FileContent): void {
    if (this.#folder !== null) fs.rmSync(this.#pathOf(content, endings.tries), { force: true });
  }

  /** Removes the reason why a content has no text. */
  dropReason(content: FileContent): void {
    const own = this.#memory.get(content.number);
    if ('reason' in (own?.get(keyOf(content)) ?? {})) own?.delete(keyOf(content));
    if (this.#folder !== null) fs.rmSync(this.#pathOf(content, endings.reason), { force: true });
  }

  /** Removes all texts of a document. */
  drop(number: number): void {
    this.#memory.delete(number);
    if (this.#folder !== null) fs.rmSync(path.join(this.#folder, String(number)), { recursive: true, force: true });
  }

  /** Removes the texts of a document's other contents, and all that an end of the process has left of them. */
  dropOthers({ number, blobOid }: Pick<FileContent, 'number' | 'blobOid'>): void {
    if (this.#folder === null) return;
    const folder = path.join(this.#folder, String(number));
    // It may be gone since somebody listed it.
    if (!fs.existsSync(folder)) return;
    for (const name of fs.readdirSync(folder)) {
      const isOther = !name.startsWith(`${blobOid}.`) || name.endsWith('.new');
      if (isOther) fs.rmSync(path.join(folder, name), { force: true });
    }
  }

  /** The documents with a text or a note. */
  async numbers(): Promise<number[]> {
    if (this.#folder === null) return [...this.#memory.keys()];
    return (await fs.promises.readdir(this.#folder)).map(Number).filter(Number.isSafeInteger);
  }

  #pathOf(content: FileContent, ending: string): string {
    return path.join(this.#folder ?? '', String(content.number), `${keyOf(content)}${ending}`);
  }
}

/** @param longest bytes of the beginning. Left out: all */
async function readIfThere(file: string, longest?: number): Promise<Buffer | undefined> {
  try {
    if (longest === undefined) return await fs.promises.readFile(file);
    const opened = await fs.promises.open(file);
    try {
      const { buffer, bytesRead } = await opened.read(Buffer.alloc(longest), 0, longest, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
