/** Finished HTML: its insertions were escaped on the way in. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values for a template. `undefined`, `null` and `false` leave nothing. */
export type Insertable = Html | string | number | undefined | null | false | readonly Insertable[];

const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Safe between tags and in a quoted attribute. Characters that change the direction of later text are isolated. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll(/[&<>"']/g, (character) => replacements[character] ?? '')
    .replaceAll(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, '\uFFFD');
}

function insert(value: Insertable): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'string') return escapeHtml(value);
  if (typeof value === 'number') return String(value);
  return value.map(insert).join('');
}

/** A template with escaped insertions, except for HTML. Attributes must be quoted in the template. */
export function html(pieces: TemplateStringsArray, ...values: readonly Insertable[]): Html {
  return new Html(pieces.map((piece, index) => piece + insert(values[index])).join(''));
}
