/**
 * Runs `cartulary COMMAND --help` for each of its parameters, such as "grant add", one after the other in this process:
 * a start for each would take most of a test's time. Prints each command's words in a line before its help, and ends
 * with the first exit code that is not 0.
 */
import { runProgram } from '../../bin/program.js';

const [node = '', file = '', ...commands] = process.argv;
for (const words of commands) {
  console.log(`\0${words}`);
  process.argv = [node, file, ...words.split(' '), '--help'];
  await runProgram();
  if (process.exitCode !== undefined && process.exitCode !== 0) break;
}
