#!/usr/bin/env node
import { loadProgram } from './load-program.js';

const { runProgram } = await loadProgram();
await runProgram();
