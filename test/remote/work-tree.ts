import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { git, runClient, type GitRun } from '../support/git/git-client.js';

/** A clone with files, in which a person works. */
export class WorkTree {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Clones into a folder of this name. */
  static async clone(folder: string, url: string, name: string): Promise<WorkTree> {
    await git(folder, ['clone', '-q', url, name]);
    const tree = new WorkTree(join(folder, name));
    await tree.git('checkout', '-q', '-B', 'main');
    return tree;
  }

  /** @returns the output of a git that has to succeed */
  git(...parameters: readonly string[]): Promise<string> {
    return git(this.folder, parameters);
  }

  async write(path: string, content: string | Buffer): Promise<void> {
    await mkdir(dirname(join(this.folder, path)), { recursive: true });
    await writeFile(join(this.folder, path), content);
  }

  /** Writes files, null for one to be removed, and commits everything. @returns the commit's id */
  async commit(files: Readonly<Record<string, string | Buffer | null>>, message = 'Change'): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      if (content === null) await rm(join(this.folder, path), { recursive: true });
      else await this.write(path, content);
    }
    await this.git('add', '-A');
    await this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.head();
  }

  head(): Promise<string> {
    return this.git('rev-parse', 'HEAD');
  }

  /** Pushes main, or what is said. */
  push(...parameters: readonly string[]): Promise<GitRun> {
    return runClient(this.folder, ['push', ...(parameters.length === 0 ? ['origin', 'main'] : parameters)]);
  }

  /** Goes back to what the server has. */
  async reset(): Promise<void> {
    await this.git('fetch', '-q');
    await this.git('reset', '-q', '--hard', 'origin/main');
  }
}
