#!/usr/bin/env node
import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type * as Program from './program.js';

// Other accounts of the machine get no access to files made here, or by a git started from here.
process.umask(0o077);

/**
 * Node from 22.1 on keeps compiled modules, which makes each command quicker. It keeps them in a folder of this account:
 * in Node's own choice, the folder for temporary files, another account could put code there first.
 */
const { enableCompileCache } = module as { readonly enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(homedir(), '.cache', 'cartulary'));

/**
 * When a file of the program was written; undefined where it is not there. Packages have one moment for all their files.
 */
const writtenAt = (file: string) => statSync(new URL(file, import.meta.url), { throwIfNoEntry: false })?.mtimeMs;

/**
 * The build makes a bundle of the program, which loads in half the time (bin/build-program.mjs). The compiled files
 * count where they are newer: the compiler writes all of them each time.
 */
const bundle = '../program/program.js';
const isBundled = (writtenAt(bundle) ?? Number.NEGATIVE_INFINITY) >= (writtenAt('./program.js') ?? 0);
const { runProgram } = isBundled ? ((await import(bundle)) as typeof Program) : await import('./program.js');
await runProgram();
