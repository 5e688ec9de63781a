import type { ErrorObject } from 'ajv/dist/2020.js';
import { describeRule } from '../domain/describe-rule.js';
import { invalidRequest, type Refusal } from '../domain/refusal.js';
import { requireWellFormed } from '../domain/well-formed.js';
import type { DescribedTool, PropertySchema } from './definition.js';
import { normalizeArguments, type TakenArguments } from './normalize-arguments.js';
import type { Arguments, ToolEntry } from './tool.js';

/** Characters of a sent name or value in an answer. */
const maxShown = 100;

/**
 * Arguments as `normalizeArguments` reads them, which match the tool's schema. Yields where a list sent as text is long.
 * @throws Refusal INVALID_REQUEST `unknown_field`, `missing_field`, `bad_field`, `content_too_large`
 */
export function* checkArguments(
  { definition, checkInput }: DescribedTool,
  sent: unknown,
): Generator<void, TakenArguments> {
  if (sent !== undefined && (typeof sent !== 'object' || sent === null || Array.isArray(sent))) {
    throw invalidRequest('bad_field', 'The arguments must be an object.', { field: 'arguments' });
  }
  const taken = yield* normalizeArguments(definition, sent ?? {});
  if (!checkInput(taken.args)) throw explain(checkInput.errors?.[0], definition.inputSchema);
  // Only now: lists sent as text are parsed, and overlong ones were refused without a look through them.
  requireWellFormed(taken.args, 'arguments');
  return taken;
}

/** `/edits/3/new_text` → `edits.3.new_text`. */
function nameField(path: string, name?: string): string {
  const parts = path.split('/').slice(1);
  return [...parts, ...(name === undefined ? [] : [name])]
    .join('.')
    .slice(0, maxShown)
    .replace(/\p{Surrogate}/gu, '');
}

/** The arguments that there are at a place of a schema: `/edits/3` is an item of a list. */
function argumentsAt(schema: PropertySchema, path: string): string[] {
  let at: PropertySchema | undefined = schema;
  for (const part of path.split('/').slice(1)) at = at?.properties?.[part] ?? at?.items;
  return Object.keys(at?.properties ?? {});
}

function explain(error: ErrorObject | undefined, schema: PropertySchema): Refusal {
  const { keyword, instancePath = '', params = {}, message = '' } = error ?? {};
  if (keyword === 'additionalProperties') {
    const field = nameField(instancePath, String((params as { additionalProperty: unknown }).additionalProperty));
    const known = argumentsAt(schema, instancePath).join(', ');
    return invalidRequest('unknown_field', `There is no argument ${field}. There are: ${known}.`, { field });
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
  const { allowedValues } = params as { readonly allowedValues?: readonly unknown[] };
  if (keyword === 'enum') return `must be one of ${allowedValues?.join(', ')}`;
  // The only pattern in the schemas.
  if (keyword === 'pattern') return 'must be a commit: 40 hexadecimal digits, as a read or a write returned them';
  return describeRule(message);
}

/**
 * The entry for these arguments, after a check of their meaning in it.
 * @throws Refusal INVALID_REQUEST `unknown_field` for an argument without a meaning here, `missing_field`
 */
export function chooseEntry(entries: readonly ToolEntry[], args: Arguments): ToolEntry {
  const entry = entries.find((each) => each.isFor(args));
  if (entry === undefined) throw new Error('A tool has no entry for arguments that its schema allows.');
  const missing = entry.requires.find((name) => args[name] === undefined);
  if (missing !== undefined) {
    const or = entry.orElse === undefined ? '' : `, or else ${entry.orElse}`;
    throw invalidRequest('missing_field', `The argument ${missing} is required here${or}.`, { field: missing });
  }
  const meaningless = Object.keys(args).find((name) => entry.takes?.includes(name) === false);
  if (meaningless !== undefined) {
    throw invalidRequest('unknown_field', `The argument ${meaningless} has no meaning together with the others.`, {
      field: meaningless,
    });
  }
  return entry;
}
