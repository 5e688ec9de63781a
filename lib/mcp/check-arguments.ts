import type { ErrorObject } from 'ajv/dist/2020.js';
import { findFaultOfShape, type ShapeLimits } from '../domain/json-shape.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import { requireWellFormed } from '../domain/well-formed.js';
import type { DescribedTool } from './definition.js';
import type { Arguments, ToolEntry } from './tool.js';

/** Limits of a message, or of a list sent as text. The largest tool takes some hundreds of values. */
export const messageShape: ShapeLimits = { deepest: 64, maxValues: 20_000 };

/** Characters of a sent name or value in an answer. */
const maxShown = 100;

/**
 * Normalises arguments as models send them: null means left out, and lists sometimes come as text. Everything else has
 * to match the tool's schema. Yields where a list sent as text is long.
 * @throws Refusal INVALID_REQUEST `unknown_field`, `missing_field`, `bad_field`, `content_too_large`
 */
export function* checkArguments({ definition, checkInput }: DescribedTool, sent: unknown): Generator<void, Arguments> {
  if (sent !== undefined && (typeof sent !== 'object' || sent === null || Array.isArray(sent))) {
    throw invalidRequest('bad_field', 'The arguments must be an object.', { field: 'arguments' });
  }
  const { properties } = definition.inputSchema;
  const read: [string, unknown][] = [];
  for (const [name, value] of Object.entries(sent ?? {}) as [string, unknown][]) {
    if (value === null) continue;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    read.push([name, property?.type === 'array' ? yield* readList(name, value, property.maxItems) : value]);
  }
  const args = Object.fromEntries(read);
  if (!checkInput(args)) throw explain(checkInput.errors?.[0]);
  // Only now: lists sent as text are parsed, and overlong ones were refused without a look through them.
  requireWellFormed(args, 'arguments');
  return args;
}

/** An overlong list stays as it came, because the schema refuses it in any case. */
function* readList(name: string, value: unknown, maxItems = Number.POSITIVE_INFINITY): Generator<void, unknown> {
  let list = value;
  if (typeof value === 'string' && value.trimStart().startsWith('[')) {
    const fault = yield* findFaultOfShape(new TextEncoder().encode(value), messageShape);
    if (fault !== undefined) throw invalidRequest('bad_field', `The argument ${name} ${fault}.`, { field: name });
    try {
      list = JSON.parse(value);
    } catch {
      return value;
    }
  }
  return Array.isArray(list) && list.length <= maxItems ? list.map(dropNulls) : list;
}

function dropNulls(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

/** `/edits/3/new_text` → `edits.3.new_text`. */
function nameField(path: string, name?: string): string {
  const parts = path.split('/').slice(1);
  return [...parts, ...(name === undefined ? [] : [name])]
    .join('.')
    .slice(0, maxShown)
    .replace(/\p{Surrogate}/gu, '');
}

function explain(error: ErrorObject | undefined): Refusal {
  const { keyword, instancePath = '', params = {}, message = '' } = error ?? {};
  if (keyword === 'additionalProperties') {
    const field = nameField(instancePath, String((params as { additionalProperty: unknown }).additionalProperty));
    return invalidRequest('unknown_field', `There is no argument ${field}.`, { field });
  }
  if (keyword === 'required') {
    const field = nameField(instancePath, (params as { missingProperty: string }).missingProperty);
    return invalidRequest('missing_field', `The argument ${field} is required.`, { field });
  }
  const field = nameField(instancePath);
  if (keyword === 'maxLength' && field === 'content') {
    const { limit } = params as { limit: number };
    return invalidRequest('content_too_large', `The content is longer than ${limit} characters.`, { field, limit });
  }
  return invalidRequest('bad_field', `The argument ${field} ${faultOf(keyword, params, message)}.`, { field });
}

/** The fault, in words for the right form. */
function faultOf(keyword: string | undefined, params: ErrorObject['params'], message: string): string {
  const { allowedValues, format } = params as { readonly allowedValues?: readonly unknown[]; readonly format?: string };
  if (keyword === 'enum') return `must be one of ${allowedValues?.join(', ')}`;
  if (keyword === 'minLength') return 'must not be empty';
  // The only pattern in the schemas.
  if (keyword === 'pattern') return 'must be a commit: 40 hexadecimal digits, as a read or a write returned them';
  if (format === 'date-time') return 'must be a date and time such as 2026-11-21T14:00:00Z';
  return message;
}

/**
 * The entry for these arguments, after a check of their meaning in it.
 * @throws Refusal INVALID_REQUEST `unknown_field` for an argument without a meaning here, `missing_field`
 */
export function chooseEntry(entries: readonly ToolEntry[], args: Arguments, { definition }: DescribedTool): ToolEntry {
  const entry = entries.find((each) => each.isFor(args));
  if (entry === undefined) throw new Error('A tool has no entry for arguments that its schema allows.');
  const missing = entry.requires.find((name) => args[name] === undefined);
  if (missing !== undefined) {
    throw invalidRequest('missing_field', `The argument ${missing} is required here.`, { field: missing });
  }
  const { properties } = definition.inputSchema;
  // Models like to fill in defaults, so an argument with its default value counts as left out.
  const isSaid = (name: string): boolean => args[name] !== properties[name]?.default;
  const meaningless = Object.keys(args).find((name) => entry.takes?.includes(name) === false && isSaid(name));
  if (meaningless !== undefined) {
    throw invalidRequest('unknown_field', `The argument ${meaningless} has no meaning together with the others.`, {
      field: meaningless,
    });
  }
  return entry;
}
