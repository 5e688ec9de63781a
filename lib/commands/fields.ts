import { parseTime } from '../domain/clock.js';
import { parseFolderLocation, parseLocation, type Location } from '../domain/location.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';

/** A request's fields, read one by one. Every problem is INVALID_REQUEST `bad_field` and names the field. */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Whether it was given at all. */
  isThere(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  optionalText(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw badField(name, 'must be text');
    return value;
  }

  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw badField(name, 'is missing');
    return value;
  }

  /** Texts, none where it is left out. */
  texts(name: string): readonly string[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value)) throw badField(name, 'must be a list of texts');
    for (const each of value) if (typeof each !== 'string') throw badField(name, 'must be a list of texts');
    return value as string[];
  }

  /**
   * A document's place. One slash before or behind it is dropped, because a shell's completion or a habit left it
   * there.
   * @throws Refusal INVALID_REQUEST
   */
  location(name: string): Location {
    return parseLocation(withoutSlashes(this.text(name)), name);
  }

  /** A place, or the root of the workspace: `/`, or an empty text. */
  folder(name: string): Location {
    return parseFolderLocation(this.text(name), name);
  }

  /** The root where it is left out. */
  folderOrRoot(name: string): Location {
    return parseFolderLocation(this.optionalText(name) ?? '', name);
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[]): Choice {
    const value = this.text(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw badField(name, `must be one of ${choices.join(', ')}`);
    return found;
  }

  flag(name: string): boolean {
    const value = this.#values[name];
    if (value === undefined || typeof value === 'boolean') return value === true;
    throw badField(name, 'must be true or false');
  }

  /** A whole number of at least 1, given as such or as digits. */
  optionalCount(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined || value === null) return undefined;
    return parseCount(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
}

function withoutSlashes(text: string): string {
  return text.replace(/^\/|\/$/g, '');
}

/** @param problem goes on from the field's name: "must be text" */
export function badField(field: string, problem: string): Refusal {
  return invalidRequest('bad_field', `${field} ${problem}.`, { field });
}

/** A whole number from 1 to 2^53 - 1. @throws Refusal INVALID_REQUEST `bad_field` */
export function parseCount(name: string, text: string): number {
  const count = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(count)) throw badField(name, 'must be a whole number of at least 1');
  return count;
}

/** Milliseconds of each unit of a duration. */
const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** `30d` in milliseconds; undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9]\d{0,8})([smhdw])$/.exec(text);
  return match === null ? undefined : Number(match[1]) * (units[match[2] ?? ''] ?? 0);
}

/** A duration as a whole number of the largest possible unit; `parseDuration` reads this form. */
export function formatDuration(milliseconds: number): string {
  const unit = ['d', 'h', 'm'].find((each) => milliseconds % (units[each] ?? 1) === 0) ?? 's';
  return `${Math.round(milliseconds / (units[unit] ?? 1000))}${unit}`;
}

/**
 * A time to come: RFC 3339, or a duration from now such as `30d`.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970
 */
export function parseFutureTime(field: string, text: string, now: number): number {
  const duration = parseDuration(text);
  const time = duration !== undefined ? now + duration : parseTime(text);
  if (time === undefined || time > 8.64e15) {
    throw badField(field, 'must be a time such as 2027-01-31T12:00:00Z, or a duration such as 30d (s, m, h, d, w)');
  }
  if (time <= now) throw badField(field, 'must lie in the future');
  return time;
}

/**
 * A past time: RFC 3339, or a duration ago such as `2h`.
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970
 */
export function parsePastTime(field: string, text: string, now: number): number {
  const duration = parseDuration(text);
  const time = duration !== undefined ? now - duration : parseTime(text);
  if (time === undefined || time > now) {
    throw badField(field, 'must be a time that is over such as 2026-01-31T12:00:00Z, or a duration ago such as 2h');
  }
  return time;
}

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** A number of bytes: `1048576`, `10MiB`, `1000GB`. */
export function parseBytes(field: string, text: string): number {
  const match = /^([1-9]\d{0,15})\s?([kmgt]i?b)?$/i.exec(text);
  const bytes = match === null ? Number.NaN : Number(match[1]) * (byteUnits[(match[2] ?? '').toLowerCase()] ?? 1);
  if (!Number.isSafeInteger(bytes)) throw badField(field, 'must be a number of bytes such as 1048576, 10MiB or 1000GB');
  return bytes;
}
