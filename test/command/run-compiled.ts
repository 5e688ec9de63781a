/** `cartulary …` from the compiled files, without the bundle: a test counts which of them a command loads. */
import { runProgram } from '../../bin/program.js';

await runProgram();
