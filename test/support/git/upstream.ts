import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gather, git } from './fixture.js';

/** A file of a commit: its bytes, or another mode with them. null deletes the path, with everything below it. */
export type UpstreamContent =
  string | Buffer | null | { readonly mode: '100755' | '120000' | '160000'; readonly data: string };

export type UpstreamFiles = Readonly<Record<string, UpstreamContent>>;

const committer = 'Grace <grace@example.org>';

/** A bare repository of somebody else, for tests. Its commits are written by `git fast-import`. */
export class Upstream {
  readonly path: string;
  #seconds = 1_700_000_000;

  private constructor(path: string) {
    this.path = path;
  }

  /** @param path is made */
  static make(path: string, objectFormat: 'sha1' | 'sha256' = 'sha1'): Upstream {
    makeEmpty(path, objectFormat);
    return new Upstream(path);
  }

  /** Adds a commit with these changes to a branch. @returns its name */
  commit(files: UpstreamFiles, branch = 'main'): Promise<string> {
    return this.#import(files, branch, false);
  }

  /** Replaces the history of a branch by one commit with exactly these files. @returns its name */
  replaceHistory(files: UpstreamFiles, branch = 'main'): Promise<string> {
    return this.#import(files, branch, true);
  }

  /** Runs git in it. @returns what it said */
  git(...parameters: readonly string[]): string {
    return git(this.path, parameters).toString('utf8');
  }

  async #import(files: UpstreamFiles, branch: string, isNew: boolean): Promise<string> {
    const ref = `refs/heads/${branch}`;
    const child = spawn('git', ['fast-import', '--quiet', '--force', '--cat-blob-fd=1'], {
      cwd: this.path,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const said = gather(child.stdout);
    this.#seconds += 60;
    const when = `${this.#seconds} +0000`;
    const subject = 'A commit\n';
    // Without a parent of its own, fast-import would go on from the branch.
    if (isNew) child.stdin.write(`reset ${ref}\n`);
    child.stdin.write(`commit ${ref}\nmark :1\ncommitter ${committer} ${when}\ndata ${subject.length}\n${subject}`);
    if (!isNew && this.#hasRef(ref)) child.stdin.write(`from ${ref}^0\n`);
    for (const piece of linesOf(files)) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
    child.stdin.end('\nget-mark :1\n');
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}.`);
    return (await said).toString('utf8').trim();
  }

  #hasRef(ref: string): boolean {
    if (existsSync(join(this.path, ref))) return true;
    const packed = join(this.path, 'packed-refs');
    return existsSync(packed) && readFileSync(packed, 'utf8').includes(` ${ref}\n`);
  }
}

/** The entries of an empty repository: bytes, or null for a folder. */
type Emptiness = readonly (readonly [path: string, bytes: Buffer | null])[];
const emptiness = new Map<string, Emptiness>();

/** An empty bare repository. git makes the first of each format, and the others are copies of it. */
function makeEmpty(path: string, objectFormat: string): void {
  const known = emptiness.get(objectFormat);
  if (known === undefined) {
    const format = `--object-format=${objectFormat}`;
    git('/', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', format, path]);
    const entries = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
    const bytesOf = (at: string): Buffer | null => (statSync(at).isDirectory() ? null : readFileSync(at));
    emptiness.set(
      objectFormat,
      entries.map((entry) => [entry, bytesOf(join(path, entry))] as const),
    );
    return;
  }
  mkdirSync(path, { recursive: true });
  for (const [entry, bytes] of known) {
    if (bytes === null) mkdirSync(join(path, entry), { recursive: true });
    else writeFileSync(join(path, entry), bytes);
  }
}

/** A bare repository of each name in a folder. */
export const makeUpstream = (folder: string, name: string, objectFormat: 'sha1' | 'sha256' = 'sha1'): Upstream =>
  Upstream.make(join(folder, name), objectFormat);

function* linesOf(files: UpstreamFiles): Generator<string | Buffer> {
  for (const [path, content] of Object.entries(files)) {
    const name = `"${path.replace(/["\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}"`;
    if (content === null) yield `D ${name}\n`;
    else if (typeof content !== 'string' && !Buffer.isBuffer(content) && content.mode === '160000') {
      yield `M 160000 ${content.data} ${name}\n`;
    } else {
      const isPlain = typeof content === 'string' || Buffer.isBuffer(content);
      const data = Buffer.from(isPlain ? content : content.data);
      yield `M ${isPlain ? '100644' : content.mode} inline ${name}\ndata ${data.length}\n`;
      yield data;
      yield '\n';
    }
  }
}
