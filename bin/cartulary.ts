#!/usr/bin/env node
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Other accounts of the machine get no access to files made here, or by a git started from here.
process.umask(0o077);

/**
 * Node from 22.1 on keeps compiled modules, which makes each command quicker. It keeps them in a folder of this account:
 * in Node's own choice, the folder for temporary files, another account could put code there first.
 */
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(homedir(), '.cache', 'cartulary'));

const { runProgram } = await import('./program.js');
await runProgram();
