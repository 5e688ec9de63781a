const departures = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE']);

/** Whether sending failed because the reader left, which is no fault of the service. */
export function isReaderGone(error: unknown): boolean {
  return departures.has(String((error as NodeJS.ErrnoException | null)?.code));
}
