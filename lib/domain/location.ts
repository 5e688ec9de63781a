import type { Location } from './checked-location.js';
import { dropTrailing } from './drop-trailing.js';
import { describeCharacter, findHidden, locateCharacter } from './hidden-characters.js';
import { deviceName } from './portable-name.js';
import { invalidRequest } from './refusal.js';

export type { Location };

/** The workspace root, a folder without a name. */
export const rootLocation = '' as Location;

export const maxSegmentLength = 255;
export const maxLocationLength = 1024;

/** Keeps an empty folder alive in git; never shown, and no document may be called so. */
export const keepName = '.keep';

/** Characters that HFS+ drops in comparisons of names: `.g\u200cit` is `.git` to it. */
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/u;
const loneSurrogate = /\p{Surrogate}/u;

/** NTFS's short names of `.git`, `.gitmodules` and `.gitattributes`. */
const shortGitName = /^(?:git|gitmod|gitatt|gi7eba|gi7d29)~[0-9]+$/;
/**
 * The short names that NTFS falls back to when those are taken. They have eight characters, with part of a hash cut for
 * the digits (`gi7e~123`). Follows `is_ntfs_dot_generic` in git's path.c.
 */
const hashedGitName = /^(?=.{8}$)(?:g(?:i(?:7(?:e(?:ba?)?|d(?:29?)?)?)?)?)?~[1-9][0-9]*$/;
const specialGitName = /^\.git(?:modules|attributes)?$/;

/**
 * Whether git on any system could take the name for its own folder or for a file that configures git. Follows git's
 * fsck (`verify_dotfile`, `is_ntfs_dotgit`, `is_hfs_dotgit`), but for every folder.
 */
function isGitsOwnName(segment: string): boolean {
  const folded = segment.replace(ignoredByHfs, '').toLowerCase();
  const stream = folded.indexOf(':');
  const bare = dropTrailing(stream < 0 ? folded : folded.slice(0, stream), '. ');
  return specialGitName.test(bare) || shortGitName.test(bare) || hashedGitName.test(bare);
}

/** The problem with one segment in words, or undefined. */
function faultOfSegment(segment: string): string | undefined {
  if (segment === '') return 'has an empty segment (a leading, trailing or doubled slash)';
  if (segment === '.' || segment === '..') return `has the segment "${segment}"`;
  if (byteLength(segment) > maxSegmentLength) return `has a segment of more than ${maxSegmentLength} bytes`;
  if (isGitsOwnName(segment)) return 'has a segment that git would take for its own';
  if (segment === keepName) return `uses the reserved name "${keepName}"`;
  return undefined;
}

/** The problem with a location, in words fit for every caller; undefined when it is fine. */
export function faultOfLocation(text: string): string | undefined {
  if (loneSurrogate.test(text)) return 'is not valid Unicode';
  if (controlCharacter.test(text)) return 'has a control character';
  if (text.includes('\\')) return 'has a backslash (segments are separated by "/")';
  if (byteLength(text) > maxLocationLength) return `is longer than ${maxLocationLength} bytes`;
  if (text.normalize('NFC') !== text) return 'is not in Unicode normalization form C';
  for (const segment of text.split('/')) {
    const fault = faultOfSegment(segment);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * @param field the name of the location's field, for the message
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function parseLocation(text: string, field = 'location'): Location {
  const fault = faultOfLocation(text);
  if (fault !== undefined) throw invalidRequest('bad_location', `The ${field} ${fault}.`, { field });
  return text as Location;
}

/** A blank at either end of a segment; the blank of Braille is as empty. */
const outerBlank = /^[\p{Zs}\u2800]|[\p{Zs}\u2800]$/u;

/**
 * The problem with a new name, in words fit for every caller; undefined when it is fine. A name must look like what it
 * is. Older names that break this rule are read, moved and deleted like all others. It must also fit every system that a clone is checked out on.
 */
export function faultOfNewLocation(location: string): string | undefined {
  const hidden = findHidden(location);
  if (hidden !== undefined) return `has ${describeCharacter(hidden)}, which cannot be seen or misleads the eye`;
  let start = 0;
  for (const segment of location.split('/')) {
    const blank = outerBlank.exec(segment);
    if (blank !== null) {
      const place = describeCharacter(locateCharacter(location, start + blank.index));
      return `has a segment that begins or ends with a blank (${place})`;
    }
    if (deviceName.test(segment)) return `has the segment "${segment}", which Windows takes for a device`;
    start += segment.length + 1;
  }
  return undefined;
}

/**
 * All code that creates or names something at a location calls this.
 * @param field the name of the location's field, for the message
 * @throws Refusal INVALID_REQUEST `bad_location`
 */
export function requireNewLocation(location: string, field = 'location'): void {
  const fault = faultOfNewLocation(location);
  if (fault !== undefined) throw invalidRequest('bad_location', `The ${field} ${fault}.`, { field });
}

/**
 * Like parseLocation, but the empty text is the workspace root. One slash at each end may be there, since people and
 * programs write folders so.
 */
export function parseFolderLocation(text: string, field = 'location'): Location {
  const path = text.replace(/^\//, '').replace(/\/$/, '');
  return path === '' ? rootLocation : parseLocation(path, field);
}

/** One segment, such as the new name in a rename. @throws Refusal INVALID_REQUEST `bad_location` */
export function parseName(text: string, field = 'name'): string {
  if (text.includes('/')) {
    throw invalidRequest('bad_location', `The ${field} has a slash; to change the folder use a move.`, { field });
  }
  return parseLocation(text, field);
}

/** The folder it lies in; the root's parent is the root. */
export function parentOf(location: Location): Location {
  const slash = location.lastIndexOf('/');
  return (slash < 0 ? '' : location.slice(0, slash)) as Location;
}

/** The last segment. */
export function nameOf(location: Location): string {
  return location.slice(location.lastIndexOf('/') + 1);
}

/** @throws Refusal INVALID_REQUEST `bad_location` when the whole gets too long */
export function joinLocation(folder: Location, name: string): Location {
  const joined = folder === '' ? name : `${folder}/${name}`;
  if (byteLength(joined) > maxLocationLength) {
    throw invalidRequest('bad_location', `The location would be longer than ${maxLocationLength} bytes.`, {
      field: 'location',
    });
  }
  return joined as Location;
}

export function segmentsOf(location: Location): string[] {
  return location === '' ? [] : location.split('/');
}

/** The root first, then each folder on the way, without the location itself: `a/b/c` → ``, `a`, `a/b`. */
export function ancestorsOf(location: Location): Location[] {
  if (location === '') return [];
  const ancestors: Location[] = [rootLocation];
  for (let slash = location.indexOf('/'); slash >= 0; slash = location.indexOf('/', slash + 1)) {
    ancestors.push(location.slice(0, slash) as Location);
  }
  return ancestors;
}

/** Whether it is the folder itself or lies anywhere below it. Everything is within the root. */
export function isWithin(folder: Location, location: Location): boolean {
  return folder === '' || location === folder || location.startsWith(`${folder}/`);
}

/** Replaces the leading folder `from` by `to`; for locations within `from`. */
export function rebase(location: Location, from: Location, to: Location): Location {
  return (location === from ? to : `${to}${location.slice(from.length)}`) as Location;
}

/**
 * Order of the UTF-8 bytes. It equals the order of code points, of SQLite and of git; UTF-16 order differs above
 * U+FFFF.
 */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) {
      const leftIsSurrogate = left >= 0xd800 && left <= 0xdfff;
      const rightIsSurrogate = right >= 0xd800 && right <= 0xdfff;
      if (leftIsSurrogate !== rightIsSurrogate) return leftIsSurrogate ? 1 : -1;
      return left - right;
    }
  }
  return a.length - b.length;
}

/** Bytes of the text in UTF-8; lone surrogates count as three. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit <= 0xdbff && index + 1 < text.length) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return bytes;
}
