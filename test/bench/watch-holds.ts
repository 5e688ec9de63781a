/**
 * Loaded before a program (`node --import`). Watches its event loop. A message from the parent process asks for the
 * time that others had to wait since the last message.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Holds } from './start-server.js';

/** Milliseconds: a timer of so many is late by the hold of the loop. */
const resolution = 1;
const histogram = monitorEventLoopDelay({ resolution });
histogram.enable();

process.on('message', () => {
  const beyond = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolution);
  const holds: Holds = { p99: beyond(histogram.percentile(99)), longest: beyond(histogram.max) };
  histogram.reset();
  process.send?.(holds);
});
process.channel?.unref();
