import { readdirSync, readFileSync } from 'node:fs';

/** The children of this process that read files. Where there is a /proc. */
export function readingChildren(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const parent = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1];
        return (
          Number(parent) === process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('extract-child')
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
