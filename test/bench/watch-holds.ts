/**
 * Loaded before a program (`node --import`), watches its event loop and tells the one who started it, whenever asked by
 * a message, how long others had to wait since the last time.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Holds } from './start-server.js';

/** Milliseconds: a timer of so many is late by what held the loop. */
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
