const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size for people, with a digit after the point above a KiB: `812 bytes`, `32.0 MiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)), units.length - 1);
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power] ?? 'bytes'}`;
}
