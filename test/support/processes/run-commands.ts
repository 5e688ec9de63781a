import { loadProgram } from '../../../bin/load-program.js';
import type { SharedCall, SharedEnd } from './shared-program.js';

/*
 * A process that runs one command of the program after the other. Each has its own arguments, folder, environment,
 * output and exit code, as in a process of its own. test/support/processes/shared-program.ts starts it.
 */

const { runProgram } = await loadProgram();

/** Takes the environment of a call in place of the one before. */
function replaceEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

const readExitCode = (): number => Number(process.exitCode ?? 0);

async function run({ parameters, cwd, environment, end }: SharedCall): Promise<void> {
  process.argv.splice(2, process.argv.length, ...parameters);
  process.chdir(cwd);
  replaceEnvironment(environment);
  process.exitCode = undefined;
  await runProgram();
  const code = readExitCode();
  // A pipe is written to at once, so these marks come after everything that the command printed.
  process.stdout.write(end);
  process.stderr.write(end);
  process.exitCode = undefined;
  process.send?.({ code } satisfies SharedEnd);
}

process.on('message', (call: SharedCall) => void run(call));
process.once('disconnect', () => process.exit(0));
