'use strict';

// bin/test.mjs starts mocha's processes with settings of glibc's allocator (tellAllocator). The programs that tests start
// do not inherit them. In a parallel run, only the workers run tests.
const startsWorkers = process.argv.includes('--parallel') && process.env.MOCHA_WORKER_ID === undefined;
if (process.env.TEST_ALLOCATOR !== undefined && !startsWorkers) {
  delete process.env.TEST_ALLOCATOR;
  delete process.env.MALLOC_ARENA_MAX;
  delete process.env.GLIBC_TUNABLES;
}
