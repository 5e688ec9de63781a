/** Measures work. @returns the milliseconds since it was started */
export function startStopwatch(): () => number {
  const began = performance.now();
  return () => performance.now() - began;
}
