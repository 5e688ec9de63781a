import assert from 'node:assert/strict';
import { join } from 'node:path';
import { makeGitKind } from '../../../lib/connectors/git/git-kind.js';
import { usualLimits, type GitLimits } from '../../../lib/connectors/git/git-limits.js';
import type { GitSettings } from '../../../lib/connectors/git/git-settings.js';
import type { Source } from '../../../lib/connectors/source.js';
import { EgressFault } from '../../../lib/egress/egress-fault.js';
import { TemporaryFolders } from '../../support/git/fixture.js';
import { GitServer, type GitServerOptions } from '../../support/git/git-server.js';
import { makeUpstream, type Upstream } from '../../support/git/upstream.js';
import { Follower, meansOf, readWhole } from '../follow.js';
import type { Remote } from '../remote.js';

export const never = new AbortController().signal;

interface Opening {
  readonly settings?: Partial<GitSettings>;
  readonly secret?: string;
  readonly limits?: Partial<GitLimits>;
  readonly maxEntries?: number;
  /** Hosts that the operator allows; the server by default. */
  readonly hosts?: readonly string[];
}

/** Repositories behind a git server of one test, and sources on them. */
export class GitBench {
  readonly folders = new TemporaryFolders();
  server!: GitServer;
  /** Where sources keep their copies. */
  cache!: string;
  #served!: string;
  readonly #sources: Source[] = [];

  async open(options: GitServerOptions = {}): Promise<void> {
    this.#served = await this.folders.make();
    this.cache = await this.folders.make();
    this.server = await GitServer.open(this.#served, options);
  }

  async close(): Promise<void> {
    for (const source of this.#sources.splice(0)) await source.close();
    await this.server.close();
    await this.folders.remove();
  }

  upstream(name = 'notes.git', objectFormat: 'sha1' | 'sha256' = 'sha1'): Upstream {
    return makeUpstream(this.#served, name, objectFormat);
  }

  /** A repository's folder. */
  at(name: string): string {
    return join(this.#served, name);
  }

  async source({ settings, secret, limits, maxEntries, hosts }: Opening = {}): Promise<Source> {
    const remote = { allowance: { hosts: hosts ?? [this.server.host] } } as unknown as Remote;
    const wanted = { url: this.server.url('notes.git'), ...settings };
    const kind = makeGitKind({ ...usualLimits, ...limits });
    const source = await kind.open(wanted, secret ?? null, meansOf(remote, this.cache, maxEntries));
    this.#sources.push(source);
    return source;
  }

  /** Everything that a new source lists, with the contents of its files. */
  async mirror(opening: Opening = {}): Promise<{ files: Record<string, string>; skipped: Record<string, string> }> {
    const source = await this.source(opening);
    const follower = new Follower();
    await follower.follow(source, never);
    const files: Record<string, string> = {};
    for (const [path, file] of follower.files) files[path] = (await readWhole(source, file, never)).toString('utf8');
    await source.close();
    return { files, skipped: Object.fromEntries(follower.skipped) };
  }

  /** The fault with which a mirror ends, as `class: message`. */
  async faultOf(opening: Opening = {}): Promise<string> {
    return faultOf(() => this.mirror(opening));
  }
}

/** The fault with which work ends, as `class: message`. */
export async function faultOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof EgressFault)) throw error;
    assert.match(error.message, /^[A-Z].*[.]$/s);
    return `${error.fault}: ${error.message}`;
  }
  return assert.fail('it did not fail');
}
