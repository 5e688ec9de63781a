import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** No person's settings, one author, and no look after each command whether the clone is to be tidied. */
const gitEnvironment = {
  PATH: process.env['PATH'],
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Grace',
  GIT_AUTHOR_EMAIL: 'grace@example.org',
  GIT_COMMITTER_NAME: 'Grace',
  GIT_COMMITTER_EMAIL: 'grace@example.org',
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
  GIT_CONFIG_KEY_1: 'gc.auto',
  GIT_CONFIG_VALUE_1: '0',
  GIT_CONFIG_KEY_2: 'init.templateDir',
  GIT_CONFIG_VALUE_2: '',
};

/** How a run of git ended. */
export interface GitRun {
  readonly code: number | null;
  readonly stdout: string;
  /** What the person sees. */
  readonly stderr: string;
}

/** git as a person runs it against a server of this process, which goes on meanwhile. */
export async function runClient(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GitRun> {
  const child = spawn('git', parameters, {
    cwd: folder,
    env: { ...gitEnvironment, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', HOME: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (stdout += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (stderr += piece));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** As `runClient`, for a run that has to succeed. @returns its output without the last line feed */
export async function git(
  folder: string,
  parameters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await runClient(folder, parameters, environment);
  if (code !== 0) throw new Error(`git ${parameters.join(' ')} ended with ${String(code)}: ${stderr}`);
  return stdout.trimEnd();
}
