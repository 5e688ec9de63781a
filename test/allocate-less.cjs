'use strict';

// bin/test.mjs starts the processes of mocha with two heaps of the allocator instead of eight for each processor: every
// start of a program copies the page tables of the process that starts it. The programs under test have the usual number.
const startsWorkers = process.argv.includes('--parallel') && process.env.MOCHA_WORKER_ID === undefined;
if (process.env.CARTULARY_TEST_ARENAS !== undefined && !startsWorkers) {
  delete process.env.CARTULARY_TEST_ARENAS;
  delete process.env.MALLOC_ARENA_MAX;
}
