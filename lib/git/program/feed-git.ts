import type { StartedGit } from './start-git.js';

/** Works with a git's streams until both have ended. @throws as `requireSuccess`; the error of the work */
export async function feedGit(
  git: StartedGit,
  work: (git: StartedGit) => Promise<void>,
  problem: string,
): Promise<void> {
  let failure: Error | undefined;
  try {
    await work(git);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(problem, { cause: error });
    git.kill();
  }
  git.stdout.resume();
  // git's own failure is the cause; a broken pipe only follows from it.
  const code = await git.ended;
  const hasGivenUp = code !== null && code !== 0;
  if (failure !== undefined && !hasGivenUp) throw failure;
  await git.requireSuccess(problem);
}
