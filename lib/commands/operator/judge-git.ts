import { findGit, isUsableGit } from '../../git/program/git-program.js';

/** Whether this machine can serve git clients, at /git. */
export interface GitVerdict {
  /** Of the git program; null where there is none, or it is not to be used. */
  readonly version: string | null;
  /** Why clones and pushes are refused; null where they are served. */
  readonly refused: 'as configured' | 'there is no git program' | 'the git program is too old' | null;
}

/** @param git the setting of this name */
export async function judgeGit(git: 'auto' | 'never'): Promise<GitVerdict> {
  if (git === 'never') return { version: null, refused: 'as configured' };
  const program = await findGit();
  if (program === null) return { version: null, refused: 'there is no git program' };
  return { version: program.version, refused: isUsableGit(program) ? null : 'the git program is too old' };
}
