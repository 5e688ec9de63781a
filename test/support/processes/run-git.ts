import { execFileSync } from 'node:child_process';

/** No person's settings, and one author. */
export const gitEnvironment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.org',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.org',
};

/** Runs git in a work tree, regardless of the machine's own settings. @returns its output */
export function runGit(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = gitEnvironment,
): string {
  return execFileSync('git', ['-C', folder, ...parameters], {
    encoding: 'utf8',
    env: { ...environment },
    stdio: 'pipe',
  });
}
