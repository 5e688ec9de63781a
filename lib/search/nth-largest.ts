/**
 * The n-th largest of the values; -1 when there are fewer. Keeps the n largest in a heap with the least on top, so
 * that most values cost one comparison.
 */
export function nthLargest(values: Float64Array, n: number): number {
  if (values.length < n || n < 1) return -1;
  const heap = values.slice(0, n).sort();
  for (let index = n; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    if (value > (heap[0] ?? 0)) replaceLeast(heap, value);
  }
  return heap[0] ?? -1;
}

function replaceLeast(heap: Float64Array, value: number): void {
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && (heap[child + 1] ?? 0) < (heap[child] ?? 0)) child += 1;
    if ((heap[child] ?? 0) >= value) break;
    heap[at] = heap[child] ?? 0;
    at = child;
  }
  heap[at] = value;
}
