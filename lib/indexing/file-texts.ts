import type { Document, Version } from '../domain/document.js';
import type { Policy } from '../domain/policy.js';
import type { TextState } from '../domain/extraction.js';
import { composeMarkdownInSteps } from '../extraction/compose-markdown.js';
import { ChildLost } from '../extraction/child-process.js';
import { type Extractor } from '../extraction/extractor.js';
import { kindOf } from '../extraction/file-kinds.js';
import type { Timers } from '../scheduling/timers.js';
import { Rests } from '../scheduling/rests.js';
import { runCooperatively } from '../scheduling/run-cooperatively.js';
import { LaterTries } from './later-tries.js';
import { keyOf, TextFiles, wayOf, type FileContent, type MadeText } from './text-files.js';

/** A file whose text is wanted. */
export interface WantedFile extends FileContent {
  /** Bytes. */
  readonly size: number;
  /** Id of the principal who wrote this content. */
  readonly author: string;
}

/** The file of a version. */
export function fileOf(
  { number, name }: Pick<Document, 'number' | 'name'>,
  { blobOid, size, mediaType, author }: Version,
): WantedFile {
  return { number, name, blobOid, size, mediaType, author: author.id };
}

export interface FileTextsOptions {
  /** Where texts are kept; null holds them in memory. */
  readonly folder: string | null;
  readonly extractor: Extractor;
  /** Name of the workspace. */
  readonly workspace: string;
  readonly readBlob: (oid: string) => Promise<Buffer>;
  /** What the workspace's policy says now. */
  readonly policy: () => TextPolicy;
  /** The document's present content; undefined where it is no file whose text is made, or not live. */
  readonly currentOf: (number: number) => WantedFile | undefined;
  /** The name of a live document's present content, of whatever kind. */
  readonly blobOf: (number: number) => string | undefined;
  /** Called when the text of a document's present content is there. */
  readonly onMade: (number: number) => void;
  readonly onFault: (what: string, cause: unknown) => void;
  readonly timers: Timers;
}

/** What a workspace decides about texts of files. */
export type TextPolicy = Pick<Policy, 'extractText' | 'textCharset' | 'largestExtracted'>;

/** A file in the index. */
export interface IndexedFile {
  /** The document's number. */
  readonly number: number;
  /** Whether words of its text are there. */
  readonly hasText: boolean;
}

interface Making {
  readonly number: number;
  readonly made: Promise<MadeText>;
  readonly stop: AbortController;
}

/** Ends of the process while it read a file, after which the file is left alone. */
const maxTries = 2;

/**
 * The texts of the workspace's files, and the making of those that are missing: one file after the other, and the writers
 * in turn, so that many files of one hold up those of others by one file. What waits is no state of its own: it is what
 * is live, can be read and has no text.
 */
export class FileTexts {
  readonly #options: FileTextsOptions;
  readonly #files: TextFiles;
  /** By writer, in the order of their turns; the files of each by the number of the document. */
  readonly #waiting = new Map<string, Map<number, WantedFile>>();
  /** What is being made, by document and content. */
  readonly #making = new Map<string, Making>();
  /** Erased while a text of theirs could still come. */
  readonly #forgotten = new Set<number>();
  readonly #laterTries: LaterTries;
  #working: Promise<void> | undefined;
  /** The looks for missing texts. */
  #looking: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: FileTextsOptions) {
    this.#options = options;
    this.#files = new TextFiles(options.folder);
    this.#laterTries = new LaterTries(options.timers);
  }

  /** Files whose text is to be made, with those that are tried again later. */
  get waiting(): number {
    const numbers = new Set(this.#laterTries.numbers);
    for (const own of this.#waiting.values()) for (const number of own.keys()) numbers.add(number);
    for (const { number } of this.#making.values()) numbers.add(number);
    return numbers.size;
  }

  /** Whether text is made of such files. */
  makesText(mediaType: string, name: string): boolean {
    return this.#options.extractor.reads(mediaType, name) && this.#options.policy().extractText;
  }

  /** What is known of the text of a content. */
  find(content: FileContent): Promise<MadeText | undefined> {
    return this.#files.read(this.#fit(content));
  }

  /** A word for the way in which the text of a file is made: it changes when its text can be another one, or none. */
  wayOf(file: WantedFile): string {
    if (!this.makesText(file.mediaType, file.name)) return 'none';
    return this.#isTooLarge(file) ? 'too_large' : wayOf(this.#fit(file));
  }

  /** The content, with what the policy says about reading it. */
  #fit<Content extends FileContent>(content: Content): Content {
    const isText = kindOf(content.mediaType, content.name) === 'text';
    return { ...content, charset: (isText ? this.#options.policy().textCharset : null) ?? undefined };
  }

  /** How far the text of a document's present content is. Where nothing is known of it, it is made when its turn comes. */
  async stateOf(file: WantedFile): Promise<TextState> {
    if (!this.makesText(file.mediaType, file.name)) return { state: 'none' };
    const known = await this.#files.look(this.#fit(file));
    if (known === undefined) {
      // Whoever looks again and again shortens no pause before the next try.
      if (!this.#laterTries.has(file.number) && !this.#making.has(this.#keyOfMaking(file))) this.want(file);
      return { state: 'waiting' };
    }
    return 'reason' in known ? { state: 'failed', reason: known.reason } : { state: 'done', ...known };
  }

  /** The text of a document's present content, or null. Where nothing is known of it, it is made, and comes later. */
  async readOrWant(file: WantedFile): Promise<string | null> {
    const made = await this.find(file);
    if (made === undefined) this.want(file);
    return made !== undefined && 'text' in made ? made.text : null;
  }

  /** Has a text made when its turn comes, unless it is there. Returns at once. */
  want(file: WantedFile): void {
    if (this.#isClosed || this.#files.has(this.#fit(file))) return;
    const own = this.#waiting.get(file.author) ?? new Map<number, WantedFile>();
    this.#waiting.set(file.author, own.set(file.number, file));
    this.#startWork();
  }

  /**
   * Has a text made again for which there is a reason why it could not be made. What waits gets its turn without a pause.
   * @returns how far it is then
   */
  async tryAgain(file: WantedFile): Promise<TextState> {
    const state = await this.stateOf(file);
    if (this.#isClosed || state.state === 'none' || state.state === 'done') return state;
    if (state.state === 'failed') this.#files.dropReason(this.#fit(file));
    this.want(file);
    return { state: 'waiting' };
  }

  /**
   * Looks through files for texts that are missing here or in the index, and for those that the policy does not want any
   * more.
   */
  catchUp(files: Iterable<IndexedFile>): Promise<void> {
    const looking = this.#lookThrough(files);
    this.#looking = Promise.allSettled([this.#looking, looking]);
    return looking;
  }

  async #lookThrough(files: Iterable<IndexedFile>): Promise<void> {
    await this.dropStale();
    // An operator who has no text made for a while drops none.
    if (!this.#options.extractor.isOn) return;
    const rests = new Rests();
    for (const { number, hasText } of files) {
      if (this.#isClosed) return;
      if (rests.isDue) await rests.take();
      const found = this.#options.currentOf(number);
      const current = found && this.#fit(found);
      if (current !== undefined) await this.#dropUnfit(current, hasText);
      const isThere = current !== undefined && this.#files.has(current);
      // The index reads the text again, and finds none.
      if (hasText && !isThere) this.#options.onMade(number);
      else if (!hasText && isThere && 'pages' in ((await this.#files.look(current)) ?? {}))
        this.#options.onMade(number);
      if (current !== undefined && !isThere) this.want(current);
    }
  }

  /** Drops what is known of a file that was too large before and is not now, or the other way round. */
  async #dropUnfit(file: WantedFile, hasText: boolean): Promise<void> {
    const isTooLarge = this.#isTooLarge(file);
    // Of what is as it should be, nothing has to be read.
    if (hasText && !isTooLarge) return;
    const known = await this.#files.look(file);
    if (known === undefined) return;
    const wasTooLarge = 'reason' in known && known.reason === 'too_large';
    if (wasTooLarge !== isTooLarge) this.#files.drop(file.number);
  }

  /**
   * Drops all texts but those of present contents, and these too where the policy wants none. Where the rows of documents
   * were made again, a document can have another number: what lies under the former one is found by no erase.
   */
  async dropStale(): Promise<void> {
    const rests = new Rests();
    for (const number of await this.#files.numbers()) {
      if (this.#isClosed) return;
      if (rests.isDue) await rests.take();
      const blobOid = this.#options.blobOf(number);
      if (blobOid === undefined || !this.#options.policy().extractText) this.#files.drop(number);
      else this.#files.dropOthers({ number, blobOid });
    }
  }

  /**
   * The text of a file, made now where nothing is known of it. All who ask for one document meanwhile get the same.
   * @throws ChildLost where its making was ended from outside, or the document is live no more
   */
  async make(wanted: WantedFile): Promise<MadeText> {
    const known = await this.#files.read(this.#fit(wanted));
    if (known !== undefined) return known;
    // The policy may say something else by now.
    const file = this.#fit(wanted);
    const key = this.#keyOfMaking(file);
    const making = this.#making.get(key);
    if (making !== undefined) return making.made;
    const stop = new AbortController();
    const made = this.#makeAndKeep(file, stop.signal).finally(() => this.#making.delete(key));
    this.#making.set(key, { number: file.number, made, stop });
    return made;
  }

  /**
   * An erased document: when this resolves, no text of it is left in a file, and none is made. A child that has its bytes
   * from before, and reads another file, ends with that.
   */
  async forget(number: number): Promise<void> {
    this.#forgotten.add(number);
    this.#laterTries.forget(number);
    for (const own of this.#waiting.values()) own.delete(number);
    const making = [...this.#making.values()].filter((each) => each.number === number);
    for (const { stop } of making) stop.abort();
    await Promise.allSettled(making.map(({ made }) => made));
    this.#options.extractor.dropIdle();
    this.#files.drop(number);
    this.#forgotten.delete(number);
  }

  /** Resolves when nothing waits, and nothing is looked for. */
  async settled(): Promise<void> {
    await this.#looking;
    while (this.#working !== undefined) await this.#working;
  }

  /** When this resolves, none is made, and no idle child has bytes of its files: the workspace may be about to be removed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#laterTries.clear();
    for (const { stop } of this.#making.values()) stop.abort();
    await this.settled();
    await Promise.allSettled([...this.#making.values()].map(({ made }) => made));
    this.#options.extractor.dropIdle();
  }

  #startWork(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
      // What came after the last look, and before this.
      if (this.#waiting.size > 0) this.#startWork();
    });
  }

  async #work(): Promise<void> {
    const rests = new Rests();
    for (let file = this.#takeNext(); file !== undefined; file = this.#takeNext()) {
      // Thousands of files can be deleted while they wait.
      if (rests.isDue) await rests.take();
      await this.#makeInTurn(file).then(
        () => this.#laterTries.forget(file.number),
        (error: unknown) => this.#noteFault(file, error),
      );
    }
  }

  /** What could not be made by no fault of the file is tried again after a pause. */
  #noteFault(file: WantedFile, error: unknown): void {
    if (this.#isClosed) return;
    this.#options.onFault('The text of a file could not be made; it will be tried again', error);
    if (this.#forgotten.has(file.number) || !this.#isCurrent(file)) return;
    this.#laterTries.add(file.number, keyOf(file), () => this.want(file));
  }

  /** @throws what kept the text from being made, where it is still wanted */
  async #makeInTurn(file: WantedFile): Promise<void> {
    try {
      if (this.#isCurrent(file)) await this.make(file);
    } catch (error) {
      if (!(error instanceof ChildLost) || this.#isCurrent(file)) throw error;
    }
  }

  /** The next file of the writer whose turn it is. */
  #takeNext(): WantedFile | undefined {
    for (const [author, own] of this.#waiting) {
      this.#waiting.delete(author);
      for (const [number, file] of own) {
        own.delete(number);
        if (own.size > 0) this.#waiting.set(author, own);
        return file;
      }
    }
    return undefined;
  }

  #isTooLarge({ size }: WantedFile): boolean {
    return size > this.#options.policy().largestExtracted;
  }

  #keyOfMaking(file: WantedFile): string {
    return `${file.number} ${keyOf(this.#fit(file))} ${this.wayOf(file)}`;
  }

  #isCurrent(file: WantedFile): boolean {
    const current = this.#options.currentOf(file.number);
    return current !== undefined && keyOf(this.#fit(current)) === keyOf(this.#fit(file));
  }

  async #makeAndKeep(file: WantedFile, signal: AbortSignal): Promise<MadeText> {
    // It is read as the policy has it at the beginning: where that is another way by the end, this text is not wanted.
    const way = this.wayOf(file);
    const isWanted = (): boolean =>
      !this.#forgotten.has(file.number) && this.#isCurrent(file) && this.wayOf(file) === way;
    // Its bytes may be there for a while. No child gets them any more.
    if (this.#forgotten.has(file.number) || this.#options.blobOf(file.number) === undefined)
      throw new ChildLost('It is gone.');
    const isPresent = isWanted();
    const tries = isPresent ? this.#files.noteTry(file) : 0;
    try {
      const made: MadeText = tries >= maxTries ? { reason: 'stopped_the_service' } : await this.#extract(file, signal);
      if (!isWanted()) return made;
      await this.#files.write(file, made, isWanted);
      if ('text' in made && isWanted()) this.#options.onMade(file.number);
      return made;
    } finally {
      if (isPresent) this.#files.endTry(file);
    }
  }

  async #extract(file: WantedFile, signal: AbortSignal): Promise<MadeText> {
    const { extractor, readBlob, workspace } = this.#options;
    if (this.#isTooLarge(file)) return { reason: 'too_large' };
    const { mediaType, name, author, charset } = file;
    const bytes = await readBlob(file.blobOid);
    const found = await extractor.extract(
      { bytes, mediaType, name, charset, writer: `${workspace}/${author}` },
      signal,
    );
    if ('reason' in found) return { reason: found.reason };
    const pages = found.parts.filter(({ level }) => level === 1).length;
    return { text: await runCooperatively(composeMarkdownInSteps(found)), pages, isCut: found.isCut };
  }
}
