import { findFaultOfShape, type ShapeLimits } from '../http/json-shape.js';
import { invalidRequest } from '../domain/refusal.js';
import { amounts, type ObjectSchema, type PropertySchema } from './definition.js';
import { watchedIn } from './resource-address.js';
import type { Arguments } from './tool.js';

/** Limits of a message, or of a list sent as text. The largest tool takes some hundreds of values. */
export const messageShape: ShapeLimits = { deepest: 64, maxValues: 20_000 };

/** Arguments as the tool takes them, and those with another value than was sent. */
export interface TakenArguments {
  readonly args: Arguments;
  /** Amounts that were beyond a bound, by name, with the values used instead. */
  readonly clamped: Readonly<Record<string, number>>;
}

/** Arguments that name a document or folder. */
const places: ReadonlySet<string> = new Set(['location', 'about']);
/** The place whose empty name is the workspace root. */
const rootable = 'location';
/** Makes documents, and a slash at the end would name a folder. */
const maker = 'write_org_doc';

/** Longer places are refused in any case. UTF-16 units. */
const maxPlaceLength = 4096;

/**
 * Reads arguments as models send them, where they can mean only one thing. It looks at the schema alone, and what has
 * several meanings stays as it came, for the schema to refuse.
 *
 * - Null, the empty text, an empty list and a default count as left out, if the argument is optional.
 * - Numbers and booleans may come as text, lists and edits too; one item stands for a list of it.
 * - A place loses blanks and a slash at either end, and gets the Unicode form of all names. The address of a resource
 *   stands for its place.
 * - An argument may have the name that it has in the tools for files which models know.
 * - An amount beyond a bound becomes that bound.
 *
 * Yields where a list sent as text is long.
 * @throws Refusal INVALID_REQUEST `bad_field` for a text that is no list that could be parsed quickly
 */
export function* normalizeArguments(
  { name: tool, inputSchema }: { readonly name: string; readonly inputSchema: ObjectSchema },
  sent: object,
): Generator<void, TakenArguments> {
  const clamped: Record<string, number> = {};
  const args = yield* normalizeObject(sent, inputSchema, { tool, clamped });
  return { args, clamped };
}

/** Names of arguments in other tools, and what they are here. */
const otherNames: Readonly<Record<string, string>> = {
  path: 'location',
  file_path: 'location',
  file_text: 'content',
  old_str: 'old_text',
  old_string: 'old_text',
  new_str: 'new_text',
  new_string: 'new_text',
};

/** The argument that is meant, where its own name was not sent as well. */
function nameOf(name: string, sent: object, { properties }: ObjectSchema): string {
  const meant = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
  if (meant === undefined || Object.hasOwn(properties, name)) return name;
  return Object.hasOwn(properties, meant) && !Object.hasOwn(sent, meant) ? meant : name;
}

interface Normalizing {
  readonly tool: string;
  readonly clamped: Record<string, number>;
}

function* normalizeObject(sent: object, schema: ObjectSchema, normalizing: Normalizing): Generator<void, Arguments> {
  const read: [string, unknown][] = [];
  for (const [given, value] of Object.entries(sent) as [string, unknown][]) {
    if (value === null) continue;
    const name = nameOf(given, sent, schema);
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (property === undefined) {
      read.push([name, value]);
      continue;
    }
    const taken =
      property.type === 'array'
        ? yield* readList(name, value, property, normalizing)
        : readOne(name, value, property, normalizing);
    const isLeftOut = schema.required?.includes(name) !== true && isNothing(name, taken, property);
    if (!isLeftOut) read.push([name, taken]);
  }
  // As own members, whatever their names: `__proto__` is refused like other unknown ones.
  return Object.fromEntries(read);
}

function isNothing(name: string, value: unknown, { default: usual }: PropertySchema): boolean {
  if (value === '') return name !== rootable;
  return (Array.isArray(value) && value.length === 0) || (usual !== undefined && value === usual);
}

function readOne(name: string, value: unknown, property: PropertySchema, normalizing: Normalizing): unknown {
  if (property.type === 'integer') return clamp(name, readInteger(value), property, normalizing);
  if (typeof value !== 'string') return value;
  if (property.type === 'boolean') return readBoolean(value);
  return places.has(name) ? readPlace(name, value, normalizing) : value;
}

const integer = /^-?\d{1,15}$/;

function readInteger(value: unknown): unknown {
  return typeof value === 'string' && integer.test(value) ? Number(value) : value;
}

function readBoolean(value: string): unknown {
  if (value.length > 'false'.length) return value;
  const small = value.toLowerCase();
  return small === 'true' || (small === 'false' ? false : value);
}

function clamp(name: string, value: unknown, { minimum, maximum }: PropertySchema, { clamped }: Normalizing): unknown {
  if (!amounts.has(name) || typeof value !== 'number' || !Number.isInteger(value) || value < 0) return value;
  const taken = Math.max(minimum ?? value, Math.min(maximum ?? value, value));
  if (taken !== value) clamped[name] = taken;
  return taken;
}

function readPlace(name: string, sent: string, { tool }: Normalizing): string {
  if (sent.length > maxPlaceLength) return sent;
  const value = watchedIn(sent) ?? sent.trim();
  const start = value.startsWith('/') ? 1 : 0;
  const end = value.length - (value.length > start && value.endsWith('/') && tool !== maker ? 1 : 0);
  const place = value.slice(start, end).normalize('NFC');
  return place === '' && name !== rootable ? value : place;
}

/** An overlong list stays as it came, because the schema refuses it in any case. */
function* readList(
  name: string,
  value: unknown,
  { items, maxItems = Number.POSITIVE_INFINITY }: PropertySchema,
  normalizing: Normalizing,
): Generator<void, unknown> {
  const list = asList(typeof value === 'string' ? yield* readText(name, value, items) : value, items);
  if (!Array.isArray(list) || list.length > maxItems || items?.properties === undefined) return list;
  const read: unknown[] = [];
  for (const item of list as unknown[]) {
    read.push(isObject(item) ? yield* normalizeObject(item, items as ObjectSchema, normalizing) : item);
  }
  return read;
}

/** A list or an item sent as text. @throws Refusal INVALID_REQUEST `bad_field` */
function* readText(name: string, value: string, items: PropertySchema | undefined): Generator<void, unknown> {
  const text = value.trimStart();
  if (!text.startsWith('[') && (items?.properties === undefined || !text.startsWith('{'))) return value;
  const fault = yield* findFaultOfShape(new TextEncoder().encode(text), messageShape);
  if (fault !== undefined) throw invalidRequest('bad_field', `The argument ${name} ${fault}.`, { field: name });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return value;
  }
}

/** One item stands for a list of it. A text that begins like a list is none. */
function asList(value: unknown, items: PropertySchema | undefined): unknown {
  if (items?.properties !== undefined) return isObject(value) ? [value] : value;
  const isItem = typeof value === 'string' && value !== '' && !value.trimStart().startsWith('[');
  return isItem ? [value] : value;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
