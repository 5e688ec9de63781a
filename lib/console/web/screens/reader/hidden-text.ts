import { findAllHidden } from '../../../../domain/hidden-characters.ts';

/** A hidden character of a text. */
export interface HiddenMark {
  /** UTF-16 units from the start. */
  readonly at: number;
  readonly length: number;
  /** `U+202E` */
  readonly code: string;
  readonly name: string;
  /** From 1. */
  readonly line: number;
}

export interface HiddenMarks {
  /** The first ones, in order. */
  readonly marks: readonly HiddenMark[];
  readonly areMore: boolean;
}

const most = 500;
const names: Readonly<Record<number, string>> = {
  0xad: 'soft hyphen',
  0x34f: 'combining grapheme joiner',
  0x61c: 'Arabic letter mark',
  0x115f: 'Hangul filler',
  0x1160: 'Hangul filler',
  0x180e: 'Mongolian vowel separator',
  0x200b: 'zero width space',
  0x200c: 'zero width non-joiner',
  0x200d: 'zero width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of embedding',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of isolate',
  0x3164: 'Hangul filler',
  0xfeff: 'zero width no-break space',
  0xffa0: 'Hangul filler',
};

function nameOf(code: number): string {
  if (code >= 0xe0000 && code <= 0xe007f) return 'tag character';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'variation selector';
  if (code >= 0x80 && code <= 0x9f) return 'control character';
  return names[code] ?? 'invisible character';
}

/** The characters of a text that a reader does not see, or that show it in another order. */
export function findHiddenIn(text: string): HiddenMarks {
  const marks: HiddenMark[] = [];
  let line = 1;
  let counted = 0;
  for (const at of findAllHidden(text)) {
    if (at === undefined) continue;
    if (marks.length === most) return { marks, areMore: true };
    for (let next = text.indexOf('\n', counted); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
      line += 1;
      counted = next + 1;
    }
    const code = text.codePointAt(at) ?? 0;
    const hex = code.toString(16).toUpperCase().padStart(4, '0');
    marks.push({ at, length: code > 0xffff ? 2 : 1, code: `U+${hex}`, name: nameOf(code), line });
  }
  return { marks, areMore: false };
}

/** Each kind once, with how often it is there and its first lines. */
export function summarizeHidden(
  marks: readonly HiddenMark[],
): { code: string; name: string; lines: readonly number[] }[] {
  const kinds = new Map<string, { code: string; name: string; lines: number[] }>();
  for (const { code, name, line } of marks) {
    const kind = kinds.get(code) ?? { code, name, lines: [] };
    kinds.set(code, kind);
    kind.lines.push(line);
  }
  return [...kinds.values()];
}
