import type { Connector } from '../domain/connector.js';
import { badField } from './fields.js';

interface PropertySchema {
  readonly type?: string | readonly string[];
}

/** The type that a word stands for: a schema that knows no such setting takes text, and refuses it later by name. */
function typesOf(schema: Readonly<Record<string, unknown>> | undefined, name: string): readonly string[] {
  const properties = (schema?.['properties'] ?? {}) as Readonly<Record<string, PropertySchema>>;
  return [(Object.hasOwn(properties, name) ? properties[name]?.type : undefined) ?? 'string'].flat();
}

const plainNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function readValue(name: string, text: string, types: readonly string[]): unknown {
  if (types.includes('string')) return text;
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if ((types.includes('integer') || types.includes('number')) && plainNumber.test(text)) return Number(text);
  if (types.includes('object')) return parseObject(name, text);
  if (types.includes('array')) return text.split(',').filter((each) => each !== '');
  throw badField('settings', `has "${name}=${text.slice(0, 100)}", which must be ${types.join(' or ')}`);
}

/** @throws Refusal INVALID_REQUEST `bad_field` */
function parseObject(name: string, text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw badField('settings', `has "${name}", whose value must be an object in JSON`);
}

/**
 * Settings of a connector as words: `url=https://git.example.org/site.git branch=main`. Lists have commas, and objects are JSON.
 * @param schema of the kind; undefined for an unknown kind, which is refused later
 * @throws Refusal INVALID_REQUEST `bad_field`
 */
export function readSettings(
  words: readonly string[],
  schema: Readonly<Record<string, unknown>> | undefined,
): Connector['settings'] {
  const settings = new Map<string, unknown>();
  for (const word of words) {
    const split = word.indexOf('=');
    const name = word.slice(0, Math.max(0, split));
    if (name === '') throw badField('settings', `has "${word.slice(0, 100)}": write each as name=value`);
    if (settings.has(name)) throw badField('settings', `has "${name}" more than once`);
    settings.set(name, readValue(name, word.slice(split + 1), typesOf(schema, name)));
  }
  return Object.fromEntries(settings);
}
