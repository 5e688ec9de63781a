/** How a number of a spreadsheet is shown: as it is, or as a moment. */
export interface NumberForm {
  readonly hasDate: boolean;
  readonly hasTime: boolean;
}

const plain: NumberForm = { hasDate: false, hasTime: false };
const ofDate: NumberForm = { hasDate: true, hasTime: false };
const ofTime: NumberForm = { hasDate: false, hasTime: true };

/** Formats that have a number and no text (ECMA-376 part 1, 18.8.30), with those of East Asian programs. */
export function builtInForm(id: number): NumberForm {
  if (id === 22) return { hasDate: true, hasTime: true };
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return ofDate;
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47) ? ofTime : plain;
}

/** Hours, minutes or seconds that go on beyond a day: `[hh]`. */
const elapsed = /^(?:h|m|s)+$/;

/** The letters of a format that say what is shown: without texts, single characters and fillers. */
function lettersOf(code: string): string {
  let letters = '';
  for (let at = 0; at < code.length && code[at] !== ';'; at += 1) {
    const unit = code[at] ?? '';
    if (unit === '"' || unit === '[') {
      const end = code.indexOf(unit === '"' ? '"' : ']', at + 1);
      const inside = end < 0 ? '' : code.slice(at + 1, end).toLowerCase();
      // Colours, languages and conditions stand in brackets, too.
      if (unit === '[' && elapsed.test(inside)) letters += inside;
      at = end < 0 ? code.length : end;
    } else if (unit === '\\' || unit === '_' || unit === '*') at += 1;
    else letters += unit.toLowerCase();
  }
  return letters.replaceAll(/general|am\/pm|a\/p|e[+-]/g, '');
}

/** What a format shows, by its letters. @param code for example `dd/mm/yyyy hh:mm` */
export function formOf(code: string): NumberForm {
  const letters = lettersOf(code.slice(0, 500));
  const hasTime = /[hs]/.test(letters);
  // An "m" beside hours or seconds is one of minutes.
  return { hasDate: /[dye]/.test(letters) || (!hasTime && letters.includes('m')), hasTime };
}

const dayLength = 24 * 60 * 60;
/** Days from 1970-01-01 back to the first day of each way of counting. */
const firstOf1900 = 25_569;
const firstOf1904 = 24_107;
/** The day 9999-12-31, by the way of 1900. */
const lastDay = 2_958_465;

/** A number in its form: `2026-11-28`, `14:30`, or the number. */
export function showNumber(value: string, form: NumberForm, countsFrom1904: boolean): string {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number)) return value;
  const isMoment = (form.hasDate || form.hasTime) && number >= 0 && number <= lastDay;
  if (!isMoment) return String(Number(number.toPrecision(15)));
  const all = Math.round(number * dayLength);
  // The way of 1900 has a day too many: 1900-02-29. Before it, days are one off.
  const first = countsFrom1904 ? firstOf1904 : number < 60 ? firstOf1900 - 1 : firstOf1900;
  const [date = '', rest = ''] = new Date((all - first * dayLength) * 1000).toISOString().split('T');
  const time = rest.slice(0, rest.startsWith(':00', 5) ? 5 : 8);
  if (!form.hasDate) return time;
  return form.hasTime && all % dayLength !== 0 ? `${date} ${time}` : date;
}
