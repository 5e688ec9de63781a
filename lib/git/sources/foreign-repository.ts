import { rm } from 'node:fs/promises';
import type { ForeignGit } from '../program/git-program.js';

/** Seconds of a processor that git has to read the smallest foreign repository. */
export const readingTime = 600;

/** Objects that a stranger chose, in a repository whose other files the service wrote. */
export class ForeignRepository {
  /** The file or folder that the user named. */
  readonly named: string;
  /** The repository's folder. */
  readonly path: string;
  /** Bounded by the extent of the objects. */
  readonly git: ForeignGit;

  constructor(named: string, path: string, git: ForeignGit) {
    this.named = named;
    this.path = path;
    this.git = git;
  }

  /** Removes the service's own files, once nothing reads from it. */
  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}
