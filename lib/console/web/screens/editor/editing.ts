import { newIdempotencyKey } from '../../api/client.ts';
import { asProblem, Problem } from '../../api/problem.ts';
import { createText, readText, updateText, type StoredText } from './document-text.ts';
import { dropDraft, keepDraft, type Draft, type PendingCreate } from './drafts.ts';
import { closeText, openText, type OpenedText } from './keep-line-ends.js';

/** Where the text stands that is being edited. */
export interface EditingPlace {
  /** The person's principal. */
  readonly owner: string;
  readonly workspace: string;
  /** A location, or the place of a new document's draft. */
  readonly place: string;
}

/** The version that a text changes. `at` and `author` are missing where it comes from a draft. */
export interface BaseVersion {
  readonly etag: string;
  readonly text: string;
}

/** What is shown of the editing. A new value at each change. */
export interface EditingState {
  /** Null for a new document. */
  readonly base: BaseVersion | null;
  /** Of a new document; else the document's. */
  readonly location: string;
  readonly note: string;
  /** Whether the text differs from the version that it changes. */
  readonly isChanged: boolean;
  readonly isSaving: boolean;
  /** Whether the browser has the text as it is. `lost`: it refuses to keep it. */
  readonly draft: 'none' | 'behind' | 'kept' | 'lost';
  /** When the draft that was found at the start was written; undefined without one. Milliseconds since 1970. */
  readonly restoredFrom: number | undefined;
  readonly problem: Problem | undefined;
  /** Someone else's version, to be merged. */
  readonly theirs: StoredText | undefined;
  /** Whether the document can still be read after a save found nothing to change. */
  readonly isReadable: boolean | undefined;
  /** Milliseconds since 1970. */
  readonly savedAt: number | undefined;
}

/** The editor's view of the text, with LF line ends. */
interface Source {
  readonly read: () => string;
  readonly write: (shown: string) => void;
  readonly setReadOnly: (isReadOnly: boolean) => void;
}

/** Milliseconds between a change and its draft; long texts wait longer, since each draft is a copy. */
const draftDelay = { usual: 250, long: 2000 } as const;
const longText = 500_000;

/** One person's changes to one document: kept as a draft at each change, saved against the version they change. */
export class Editing {
  readonly place: EditingPlace;
  readonly #listeners = new Set<() => void>();
  #state: EditingState;
  #opened: OpenedText;
  #text: string;
  #pending: PendingCreate | null;
  #source: Source | undefined;
  #timer: number | undefined;
  #isEnded = false;

  /** @param found the draft that this browser kept of it */
  constructor(place: EditingPlace, base: BaseVersion | null, location: string, found: Draft | undefined) {
    this.place = place;
    this.#text = found?.text ?? base?.text ?? '';
    this.#opened = openText(this.#text);
    this.#pending = found?.pending ?? null;
    const draftBase = found === undefined ? base : found.base;
    this.#state = {
      base: draftBase,
      location: found?.location ?? location,
      note: found?.note ?? '',
      isChanged: this.#text !== (draftBase?.text ?? ''),
      isSaving: false,
      draft: found === undefined ? 'none' : 'kept',
      restoredFrom: found?.changedAt,
      problem: undefined,
      theirs: undefined,
      isReadable: undefined,
      savedAt: undefined,
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly read = (): EditingState => this.#state;

  /** What the editor shows at its start. */
  get shown(): string {
    return this.#opened.shown;
  }

  /** The text to store, byte for byte. */
  get text(): string {
    if (this.#source !== undefined) this.#text = closeText(this.#opened, this.#source.read());
    return this.#text;
  }

  /** Reads the text from there from now on. */
  attach(source: Source): void {
    this.#source = source;
  }

  /** Called at each change of the text. It takes no time: the text is read when it is kept. */
  noteChange(): void {
    this.#set({ isChanged: true, draft: 'behind' });
    const delay = this.#text.length > longText ? draftDelay.long : draftDelay.usual;
    this.#timer ??= window.setTimeout(() => void this.flush(), delay);
  }

  setNote(note: string): void {
    this.#set({ note });
    this.noteChange();
  }

  setLocation(location: string): void {
    this.#set({ location, problem: undefined });
    this.noteChange();
  }

  /** Keeps the text as a draft now, or drops the draft of a text that is as it is stored. */
  async flush(): Promise<void> {
    window.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isEnded || this.#state.draft === 'none') return;
    const { text } = this;
    const { base, note, location } = this.#state;
    const isChanged = text !== (base?.text ?? '');
    const { owner, workspace, place } = this.place;
    try {
      const isWorthKeeping = isChanged || note !== '' || this.#pending !== null;
      if (isWorthKeeping) {
        const kept = base === null ? null : { etag: base.etag, text: base.text };
        const pending = this.#pending;
        await keepDraft({ owner, workspace, place, base: kept, location, text, note, pending, changedAt: Date.now() });
      } else await dropDraft(owner, workspace, place);
      const isBehind = this.#timer !== undefined;
      this.#set({ isChanged: isBehind || isChanged, draft: isBehind ? 'behind' : isWorthKeeping ? 'kept' : 'none' });
    } catch {
      this.#set({ isChanged, draft: 'lost' });
    }
  }

  /** Keeps the draft a last time: another tab goes on with it. */
  async giveUp(): Promise<void> {
    const kept = this.flush();
    this.end();
    await kept;
  }

  /** Leaves the draft alone from now on: another tab has it. The text stays, to be read. */
  end(): void {
    this.#isEnded = true;
    this.#source?.setReadOnly(true);
    this.#set({ restoredFrom: undefined, theirs: undefined });
  }

  /** Ends the editing without its draft: the text is stored, or given up. */
  async discard(): Promise<void> {
    this.#isEnded = true;
    window.clearTimeout(this.#timer);
    const { owner, workspace, place } = this.place;
    this.#set({ isChanged: false, draft: 'none' });
    await dropDraft(owner, workspace, place);
  }

  /**
   * Saves against the version that the text changes. Someone else's change in between is shown, never overwritten.
   * @returns whether the text, as it was at the call, is stored now
   */
  async save(): Promise<boolean> {
    if (this.#state.isSaving) return false;
    const { text } = this;
    this.#set({ isSaving: true, problem: undefined, isReadable: undefined });
    try {
      const etag = this.#state.base === null ? await this.#create(text) : await this.#update(this.#state.base, text);
      if (etag === undefined) return false;
      await this.#noteSaved(etag, text);
      return true;
    } catch (error) {
      await this.#noteProblem(asProblem(error));
      return false;
    } finally {
      this.#set({ isSaving: false });
    }
  }

  /** Goes on with a merged text, which changes their version. */
  async takeMerged(text: string): Promise<void> {
    const { theirs } = this.#state;
    if (theirs === undefined) return;
    this.#show(text);
    this.#set({
      base: { etag: theirs.etag, text: theirs.text },
      theirs: undefined,
      problem: undefined,
      draft: 'behind',
    });
    await this.flush();
  }

  /** Begins a new document with a text from elsewhere. */
  startWith(text: string): void {
    this.#show(text);
    this.#set({ draft: 'behind' });
    void this.flush();
  }

  /**
   * Gives what was written while the document was being created to the editor of the document. Nothing can be written
   * from the call on.
   * @returns whether there was something to give; undefined where the browser does not keep it, and it stays here
   */
  async moveDraft(location: string): Promise<boolean | undefined> {
    const { owner, workspace } = this.place;
    this.#isEnded = true;
    window.clearTimeout(this.#timer);
    this.#source?.setReadOnly(true);
    const { text } = this;
    const { base, note } = this.#state;
    const isWorthKeeping = base !== null && text !== base.text;
    if (isWorthKeeping) {
      const kept = {
        owner,
        workspace,
        place: location,
        base,
        location,
        text,
        note,
        pending: null,
        changedAt: Date.now(),
      };
      try {
        await keepDraft(kept);
      } catch {
        this.#isEnded = false;
        this.#source?.setReadOnly(false);
        this.#set({ draft: 'lost' });
        return undefined;
      }
    }
    await dropDraft(owner, workspace, this.place.place).catch(() => undefined);
    this.#set({ isChanged: false });
    return isWorthKeeping;
  }

  /** Leaves the merge for later. The text still changes the version that it changed. */
  closeMerge(): void {
    this.#set({ theirs: undefined });
  }

  /** Shows what changed since the version that the text changes. A text without changes follows at once. */
  async compare(): Promise<void> {
    try {
      const theirs = await readText(this.place.workspace, this.#state.location);
      const { text } = this;
      if (text === this.#state.base?.text) this.#show(theirs.text);
      const etag = await this.#meet(theirs, this.text);
      if (etag !== undefined) await this.#noteStored(etag, this.text);
    } catch (error) {
      this.#set({ problem: asProblem(error) });
    }
  }

  /** The document is not there for the person any more. The text stays. */
  async noteGone(): Promise<void> {
    this.#set({ problem: new Problem('NOT_FOUND', ''), isReadable: false, theirs: undefined });
    await this.flush();
  }

  dismissRestored(): void {
    this.#set({ restoredFrom: undefined });
  }

  async #update(base: BaseVersion, text: string): Promise<string | undefined> {
    const { workspace } = this.place;
    const { location, note } = this.#state;
    try {
      return await updateText(workspace, location, { etag: base.etag, text, note });
    } catch (error) {
      if (asProblem(error).reason !== 'stale_if_match') throw error;
      return this.#meet(await readText(workspace, location), text);
    }
  }

  /**
   * Meets a newer version than the one that the text changes.
   * @returns its ETag where it is the very text: an answer was lost, or both wrote the same
   */
  async #meet(theirs: StoredText, text: string): Promise<string | undefined> {
    if (theirs.text === text) return theirs.etag;
    await this.flush();
    this.#set({ theirs });
    return undefined;
  }

  /** Creates the document, and asks first what became of an earlier request whose answer never came. */
  async #create(text: string): Promise<string | undefined> {
    const { workspace } = this.place;
    const { location, note } = this.#state;
    const earlier = this.#pending;
    const isSame = earlier?.location === location && earlier.text === text && earlier.note === note;
    if (earlier !== null && !isSame) {
      const etag = await this.#send(earlier).catch((error: unknown) => {
        if (this.#pending !== null) throw error;
        return undefined;
      });
      if (etag !== undefined) {
        // The earlier text was stored after all. What was written since becomes a change of it.
        this.#set({ base: { etag, text: earlier.text }, location: earlier.location });
        return text === earlier.text ? etag : updateText(workspace, earlier.location, { etag, text, note });
      }
    }
    return this.#send(earlier !== null && isSame ? earlier : { key: newIdempotencyKey(), location, text, note });
  }

  async #send(create: PendingCreate): Promise<string> {
    this.#pending = create;
    this.#set({ draft: 'behind' });
    await this.flush();
    try {
      const etag = await createText(this.place.workspace, create);
      this.#pending = null;
      return etag;
    } catch (error) {
      if (isAnswered(asProblem(error))) this.#pending = null;
      throw error;
    }
  }

  async #noteSaved(etag: string, text: string): Promise<void> {
    this.#set({ note: '', savedAt: Date.now() });
    await this.#noteStored(etag, text);
  }

  /** From now on the text changes this version. */
  async #noteStored(etag: string, text: string): Promise<void> {
    this.#opened = openText(text);
    const isChanged = this.text !== text;
    this.#set({ base: { etag, text }, isChanged, theirs: undefined, restoredFrom: undefined, draft: 'behind' });
    await this.flush();
  }

  async #noteProblem(problem: Problem): Promise<void> {
    const isReadable = problem.code === 'NOT_FOUND' && this.#state.base !== null ? await this.#canRead() : undefined;
    this.#set({ problem, isReadable });
    await this.flush();
  }

  async #canRead(): Promise<boolean> {
    try {
      await readText(this.place.workspace, this.#state.location);
      return true;
    } catch {
      return false;
    }
  }

  #show(text: string): void {
    this.#text = text;
    this.#opened = openText(text);
    this.#source?.write(this.#opened.shown);
    this.#set({ isChanged: true });
  }

  #set(change: Partial<EditingState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether the service has decided. Otherwise it may have done what was asked, or may still do it. */
function isAnswered({ code }: Problem): boolean {
  return code === 'NOT_FOUND' || code === 'INVALID_REQUEST' || code === 'CONFLICT';
}
