import { DiskRoom, reserveOf, type DiskRoomOptions } from '../disk/disk-room.js';
import { formatBytes } from '../domain/format-bytes.js';

/** Bytes that stay free for reads, their records and a tidy end. */
const usualReserve = 64 * 1024 ** 2;

interface WatchOptions {
  readonly clock: DiskRoomOptions['clock'];
  /** Bytes. Left out: the usual ones. */
  readonly diskReserve?: number | undefined;
  readonly measureDisk?: DiskRoomOptions['measure'];
  readonly onFault: (what: string, cause: unknown) => void;
  readonly onNews?: ((what: string, figures: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The disk's room. The log gets a line when it becomes scarce, and one when there is room again. */
export function watchDisk(folder: string, options: WatchOptions): DiskRoom {
  const { clock, diskReserve: reserve = usualReserve, measureDisk: measure, onFault, onNews } = options;
  return new DiskRoom({
    folder,
    reserve,
    clock,
    measure,
    onChange(state, space) {
      const left = space === undefined ? '' : ` (${formatBytes(space.free)} of ${formatBytes(space.total)} free)`;
      // As it is on this disk: of a small one, less is reserved.
      const kept = formatBytes(space === undefined ? reserve : reserveOf(space, reserve));
      const room = state === 'full' ? 'there is room; reads may be, too' : `more than ${kept} are free`;
      const what = `writes are refused until ${room}. Nothing is lost`;
      if (state === 'ok') onNews?.(`The disk of ${folder} has room again${left}: writes go on`, {});
      else onFault(`The disk of ${folder} is ${state}${left}: ${what}`, undefined);
    },
  });
}
