/**
 * Loaded before a program (`node --import`). Watches the event loop of its main thread. A message from the parent
 * process asks for the time for which the loop was held since the last message.
 *
 * A hold is measured as processor time of the main thread where the system reports it (Linux), so that other processes
 * on the machine do not count. `waited` is the same by the clock.
 */
import { readFileSync } from 'node:fs';
import type { LoopHolds } from './watched-server.js';

/** Milliseconds between two looks. */
const interval = 1;
/** Milliseconds by the clock below which the processor time does not matter. */
const worthALook = 5;

const cpuFile = `/proc/self/task/${process.pid}/schedstat`;

/** Milliseconds of processor time of this thread; the clock where the system does not report it. */
function readCpu(): number {
  try {
    return Number(readFileSync(cpuFile, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

let held = 0;
let waited = 0;
let last = performance.now();
let lastCpu = readCpu();
let reportedCpu = lastCpu;

setInterval(() => {
  const now = performance.now();
  const cpu = readCpu();
  if (now - last > worthALook) {
    waited = Math.max(waited, now - last - interval);
    held = Math.max(held, cpu - lastCpu);
  }
  last = performance.now();
  lastCpu = cpu;
}, interval).unref();

process.on('message', () => {
  const connections = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const cpu = readCpu();
  const holds: LoopHolds = {
    held,
    waited,
    used: cpu - reportedCpu,
    residentBytes: process.memoryUsage.rss(),
    connections,
  };
  reportedCpu = cpu;
  held = 0;
  waited = 0;
  process.send?.(holds);
});
process.channel?.unref();
