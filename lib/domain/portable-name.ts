/** What Windows takes for a device, with any ending. Follows `is_valid_win32_path` in git's compat/mingw.c. */
export const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:[.:]|$)/i;

/** Windows allows none of these in a name. Control characters and backslashes are in none of our names anyway. */
export const forbiddenOnWindows = /[<>:"|?*]/g;

/**
 * The problem with a segment on a disk of Windows, in words fit for every caller; undefined when it is fine. Devices and
 * outer blanks are refused everywhere, so they are not checked again here.
 */
export function faultOfPortableName(segment: string): string | undefined {
  const forbidden = segment.match(forbiddenOnWindows)?.[0];
  if (forbidden !== undefined) return `has ${forbidden} in "${segment}", which Windows does not allow in a name`;
  if (segment.endsWith('.')) return `has the segment "${segment}", and Windows drops the dot at the end of a name`;
  return undefined;
}

/**
 * What two names have in common that Windows and macOS take for one. It is the canonical caseless form (Unicode, D145) by
 * which APFS compares names; NTFS distinguishes more. JavaScript has no case folding, so each letter is made small,
 * large and small again, except the dotless i, whose capital is that of another letter. The first time is for ẞ, which
 * is its own capital while that of ß is SS.
 */
export function twinKeyOf(name: string): string {
  if (isPlain.test(name)) return name.toLowerCase();
  const folded = name
    .normalize('NFD')
    .split('ı')
    .map((part) => part.toLowerCase().toUpperCase().toLowerCase())
    .join('ı');
  // The form at the end of a word is the same letter.
  return folded.replaceAll('ς', 'σ').normalize('NFC');
}

const isPlain = /^[ -~]*$/;

/** The key as it is stored: null for a name that is its own. */
export function storedTwinKeyOf(name: string): string | null {
  const key = twinKeyOf(name);
  return key === name ? null : key;
}
