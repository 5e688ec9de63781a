import type { FileSystem, OpenFile } from '../../../lib/git/file-system.js';

/** How the chosen call goes wrong. `torn` writes half and fails; `short` writes half and reports it. */
export type Fault = 'ENOSPC' | 'EIO' | 'torn' | 'short';

/**
 * A file system whose n-th changing call goes wrong, counted from `arm`; with `isDead` every later one fails too, as if
 * the process had ended there.
 */
export class FailingFileSystem implements FileSystem {
  /** Changing calls since `arm`. */
  calls = 0;
  /** The kind of the failed call. */
  failed: string | undefined;
  /** Every changing call and the path it was about, in order. */
  readonly log: string[] = [];
  readonly #fs: FileSystem;
  #failAt = Number.POSITIVE_INFINITY;
  #fault: Fault = 'EIO';
  #isDead = false;

  readonly #countsReads: boolean;

  /** @param countsReads whether opening for reading, reading, sizing and listing count and fail too */
  constructor(fs: FileSystem, { countsReads = false } = {}) {
    this.#fs = fs;
    this.#countsReads = countsReads;
  }

  arm(failAt: number, fault: Fault, isDead: boolean): void {
    this.calls = 0;
    this.failed = undefined;
    this.#failAt = failAt;
    this.#fault = fault;
    this.#isDead = isDead;
  }

  disarm(): void {
    this.#failAt = Number.POSITIVE_INFINITY;
  }

  async openToRead(path: string): Promise<OpenFile> {
    this.#readStep('openToRead', path);
    const file = await this.#fs.openToRead(path);
    return {
      ...file,
      read: async (into) => {
        this.#readStep('read', path);
        return file.read(into);
      },
    };
  }

  async readFile(path: string): Promise<Buffer> {
    this.#readStep('readFile', path);
    return this.#fs.readFile(path);
  }

  async size(path: string): Promise<number> {
    this.#readStep('size', path);
    return this.#fs.size(path);
  }

  async readdir(path: string): Promise<string[]> {
    this.#readStep('readdir', path);
    return this.#fs.readdir(path);
  }

  async openNew(path: string, mode: number): Promise<OpenFile> {
    this.#step('open', path);
    const file = await this.#fs.openNew(path, mode);
    return {
      read: (into) => file.read(into),
      write: async (bytes, offset, length) => {
        const isHalf = this.#isAt(this.calls + 1) && length > 1;
        const writeHalf = () => this.#writeAll(file, bytes, offset, length >> 1);
        // The call takes its number before any wait: otherwise a call of another file could take the fault, and this
        // one would succeed after half of its bytes.
        if (isHalf && this.#fault === 'short') {
          this.calls += 1;
          this.failed = 'write';
          await writeHalf();
          return length >> 1;
        }
        try {
          this.#step('write', path);
        } catch (error) {
          if (isHalf && this.#fault === 'torn') await writeHalf();
          throw error;
        }
        return file.write(bytes, offset, length);
      },
      sync: async () => {
        this.#step('sync', path);
        await file.sync();
      },
      close: async () => {
        await file.close();
        this.#step('close', path);
      },
    };
  }

  async mkdir(path: string): Promise<void> {
    this.#step('mkdir', path);
    await this.#fs.mkdir(path);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#step('rename', `${from} ${to}`);
    await this.#fs.rename(from, to);
  }

  async unlink(path: string): Promise<void> {
    this.#step('unlink', path);
    await this.#fs.unlink(path);
  }

  async syncFolder(path: string): Promise<void> {
    this.#step('syncFolder', path);
    await this.#fs.syncFolder(path);
  }

  #isAt(call: number): boolean {
    return call === this.#failAt || (this.#isDead && call > this.#failAt);
  }

  #readStep(what: string, about: string): void {
    if (this.#countsReads) this.#step(what, about);
  }

  #step(what: string, about: string): void {
    this.calls += 1;
    this.log.push(`${what} ${about}`);
    if (!this.#isAt(this.calls) || this.#fault === 'short') return;
    this.failed ??= what;
    const code = this.#fault === 'torn' ? 'EIO' : this.#fault;
    throw Object.assign(new Error(`${code}: made to fail, ${what}`), { code });
  }

  async #writeAll(file: OpenFile, bytes: Uint8Array, offset: number, length: number): Promise<void> {
    for (let written = 0; written < length;) written += await file.write(bytes, offset + written, length - written);
  }
}
