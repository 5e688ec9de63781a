import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EnclosedFolder } from '../../disk/enclosed-folder.js';
import { readUpTo } from '../../disk/open-regular.js';
import { runCooperatively } from '../../scheduling/run-cooperatively.js';
import { IgnoreRules } from '../../text/ignore-rules.js';

const fileName = '.gitignore';
/** Bytes of one file that are heeded, and characters of one of its lines. */
const maxBytes = 64 * 1024;
const maxLineLength = 1000;

/** What the `.gitignore` files of a folder and of those above it, within the import, leave out. */
export class IgnoredFiles {
  readonly #above: IgnoredFiles | undefined;
  /** The folder of the file, below the imported one; empty for that one. */
  readonly #folder: string;
  readonly #rules: IgnoreRules;

  private constructor(above: IgnoredFiles | undefined, folder: string, rules: IgnoreRules) {
    this.#above = above;
    this.#folder = folder;
    this.#rules = rules;
  }

  /**
   * Reads the file of a folder. A link is not followed, as by git.
   * @param folder below the root; empty for the root itself
   * @param above what holds for the folder already
   * @returns what holds in the folder, or why its file cannot be heeded. Undefined where nothing is left out
   * @throws the system's error, where it cannot be read
   */
  static async read(
    root: EnclosedFolder,
    folder: string,
    above: IgnoredFiles | undefined,
  ): Promise<IgnoredFiles | undefined | { readonly unheeded: string }> {
    const path = join(root.path, folder, fileName);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isFile() !== true) return above;
    const handle = await root.openFile(path, found);
    try {
      const bytes = await readUpTo(handle, maxBytes, Math.min(found.size, maxBytes));
      if (bytes === undefined) return { unheeded: `has more than ${maxBytes} bytes` };
      const text = bytes.toString('utf8');
      if (text.split('\n').some((line) => line.length > maxLineLength))
        return { unheeded: `has a line of more than ${maxLineLength} characters` };
      return new IgnoredFiles(above, folder, new IgnoreRules(text));
    } finally {
      await handle.close();
    }
  }

  /**
   * @param path below the root, in the folder
   * @returns the file and line that leave it out; undefined where none does
   */
  async find(path: string, isFolder: boolean): Promise<string | undefined> {
    const below = this.#folder === '' ? path : path.slice(this.#folder.length + 1);
    const verdict = await runCooperatively(this.#rules.judge(below, isFolder));
    if (verdict === undefined) return this.#above?.find(path, isFolder);
    return verdict.isIgnored ? `${join(this.#folder, fileName)}, line ${verdict.line}` : undefined;
  }
}
