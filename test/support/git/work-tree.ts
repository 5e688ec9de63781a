import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { encodePacket, flushPacket } from '../../../lib/git/serving/packets.js';
import { git as packObjects } from './fixture.js';
import { git, runClient, type GitRun } from './git-client.js';

/** A line of a file of git's own; '' where there is none. */
const readWord = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, '.git', name), 'utf8').then(
    (text) => text.trimEnd(),
    () => '',
  );

const readHead = (folder: string): Promise<string> => readWord(folder, 'HEAD');

/** A clone with files, in which a person works. */
export class WorkTree {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static at(folder: string): WorkTree {
    return new WorkTree(folder);
  }

  /** Clones into a folder of this name. */
  static async clone(folder: string, url: string, name: string): Promise<WorkTree> {
    await git(folder, ['clone', '-q', url, name]);
    const tree = new WorkTree(join(folder, name));
    if ((await readHead(tree.folder)) !== 'ref: refs/heads/main') await tree.git('checkout', '-q', '-B', 'main');
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

  /** The commit that is checked out, as the files say it; git is asked where they do not. */
  async head(): Promise<string> {
    const head = await readHead(this.folder);
    const said = head.startsWith('ref: ') ? await readWord(this.folder, head.slice('ref: '.length)) : head;
    return /^[0-9a-f]{40}$/.test(said) ? said : this.git('rev-parse', 'HEAD');
  }

  /** Pushes main, or what is said. */
  push(...parameters: readonly string[]): Promise<GitRun> {
    return runClient(this.folder, ['push', ...(parameters.length === 0 ? ['origin', 'main'] : parameters)]);
  }

  /** The request by which git would push main onto a base. @param surplus other objects that are sent, too */
  async makePush(
    base: string,
    capabilities = 'report-status side-band-64k',
    surplus: readonly string[] = [],
  ): Promise<Buffer> {
    const head = await this.head();
    const command = encodePacket(`${base} ${head} refs/heads/main\0 ${capabilities}`);
    const revisions = [head, ...surplus, ...(/^0+$/.test(base) ? [] : [`^${base}`]), ''].join('\n');
    const pack = packObjects(this.folder, ['pack-objects', '--stdout', '--revs', '--thin', '-q'], revisions);
    return Buffer.concat([command, flushPacket, pack]);
  }

  /** Goes back to what the server has. */
  async reset(): Promise<void> {
    await this.git('fetch', '-q');
    await this.git('reset', '-q', '--hard', 'origin/main');
  }
}
