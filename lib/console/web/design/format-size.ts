const units = ['bytes', 'kB', 'MB', 'GB'] as const;

/** `812 bytes`, `1.4 kB`, `23 MB`. */
export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const figures = unit > 0 && size < 9.95 ? size.toFixed(1) : String(Math.round(size));
  return `${figures} ${bytes === 1 ? 'byte' : units[unit]}`;
}
