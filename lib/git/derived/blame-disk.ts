import { RepositoryUnreadable } from '../errors.js';

/** What git says where a disk is full. It says so in words alone. */
const words = ['No space left on device', 'Out of diskspace', 'Disk quota exceeded'];

/** A failure of git to write. When git blames the disk, its cause has the system's code for that. */
export function blameDisk(message: string): RepositoryUnreadable {
  const isFull = words.some((each) => message.includes(each));
  const cause = isFull ? Object.assign(new Error('No space left on device'), { code: 'ENOSPC' }) : undefined;
  return new RepositoryUnreadable(message, { cause });
}
