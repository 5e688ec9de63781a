import { fileURLToPath } from 'node:url';
import { loadProgram } from '../../../bin/load-program.js';
import type { SharedCall, SharedEnd } from './shared-program.js';

/*
 * A process that runs one command of the program after the other, also lasting ones. Each has its own arguments,
 * folder, environment, output and exit code, as in a process of its own. It ends where its own process would end: when
 * the event loop has nothing left to do. test/support/processes/shared-program.ts starts this process.
 */

const { runProgram } = await loadProgram();

const program = fileURLToPath(new URL('../../../bin/cartulary.js', import.meta.url));

/** Node's exit code of a program that waits for something that can no longer happen. */
const waitsInVain = 13;

interface Running {
  readonly end: string;
  isDone: boolean;
}

let running: Running | undefined;

/** Takes the environment of a call in place of the one before. */
function replaceEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

const readExitCode = (): number => Number(process.exitCode ?? 0);

async function begin({ parameters, cwd, environment, end }: SharedCall): Promise<void> {
  const own = { end, isDone: false };
  running = own;
  process.argv.splice(1, process.argv.length, program, ...parameters);
  process.chdir(cwd);
  replaceEnvironment(environment);
  process.exitCode = undefined;
  // Only the command keeps this process alive.
  process.channel?.unref();
  await runProgram();
  own.isDone = true;
}

/** Reports the end of the command, and waits for the next. */
function finish({ end, isDone }: Running): void {
  running = undefined;
  const code = isDone ? readExitCode() : waitsInVain;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  // The folder may be removed now, or its disk unmounted.
  process.chdir('/');
  process.exitCode = undefined;
  process.channel?.ref();
  // A pipe is written to at once, so these marks come after everything that the command printed.
  process.stdout.write(end);
  process.stderr.write(end);
  process.send?.({ code } satisfies SharedEnd);
}

process.on('beforeExit', () => {
  if (running !== undefined) finish(running);
});
process.on('message', (call: SharedCall) => void begin(call));
// Node's own way out can wait for a thread without end. Only a count of coverage needs it, to be written.
process.once('disconnect', () => {
  if (process.env['NODE_V8_COVERAGE'] === undefined) process.kill(process.pid, 'SIGKILL');
  else process.exit(0);
});
