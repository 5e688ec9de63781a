import type { DescribedKind, Kind, Settings } from './connector-queries.ts';

/** What is typed in the fields of a form, by the names of the settings. */
export type Typed = Readonly<Record<string, string>>;

/** One setting as a field of a form, made from the schema of its kind. */
export interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly isRequired: boolean;
  /** `json` is for what no other form can hold: the settings of a program. */
  readonly form: 'text' | 'number' | 'choice' | 'json';
  /** Of a choice: values with their words. '' is left out of the settings. */
  readonly choices: readonly (readonly [string, string])[];
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
}

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly pattern?: string;
}

interface SettingsSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PropertySchema>>;
}

/** Names of settings in people's words. One that is not here is named after itself. */
const labels: Readonly<Record<string, string>> = {
  url: 'Address',
  branch: 'Branch',
  folder: 'Folder at the source',
  username: 'User name',
  host_key: 'Key of the ssh server',
  path: 'Path on the server',
  endpoint: 'Address of the service',
  bucket: 'Bucket',
  prefix: 'Folder in the bucket',
  region: 'Region',
  path_style: 'Bucket in the path of the address',
  access_key_id: 'Access key id',
  program: 'Program',
  settings: 'Settings of the program',
};

const humanize = (name: string): string => {
  const words = name.replaceAll(/[_-]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

function formOf({ type, enum: choices }: PropertySchema): SettingField['form'] {
  if (choices !== undefined || type === 'boolean') return 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : 'json';
}

function choicesOf({ type, enum: choices }: PropertySchema): SettingField['choices'] {
  const none = ['', 'As usual'] as const;
  if (choices !== undefined) return [none, ...choices.map((each) => [String(each), String(each)] as const)];
  return type === 'boolean' ? [none, ['true', 'Yes'], ['false', 'No']] : [];
}

/** The fields for the settings of a kind, those that must be there first. */
export function fieldsOf({ settings_schema: schema }: Pick<DescribedKind, 'settings_schema'>): readonly SettingField[] {
  const { required = [], properties = {} } = schema as SettingsSchema;
  const fields = Object.entries(properties).map(([name, property]): SettingField => ({
    name,
    label: labels[name] ?? humanize(name),
    hint: property.description?.replaceAll('`', ''),
    isRequired: required.includes(name),
    form: formOf(property),
    choices: choicesOf(property),
    maxLength: property.maxLength,
    pattern: property.pattern,
  }));
  return fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

/** Whether the address is one of ssh: `ssh://host/path`, or `git@host:path`. */
export const isSsh = ({ url = '' }: Typed): boolean => /^\s*ssh:/i.test(url) || /^\s*[^/:\s@]+@[^/:\s]+:/.test(url);

/** Whether a field makes sense beside what is typed in the others. */
export function isWanted({ name }: SettingField, typed: Typed): boolean {
  return name !== 'host_key' || isSsh(typed) || (typed[name] ?? '') !== '';
}

/** What is wrong with a value, for the person who typed it; undefined where nothing is known to be. */
export function faultOf(field: SettingField, typed: string | undefined): string | undefined {
  const text = (typed ?? '').trim();
  if (text === '') return field.isRequired ? 'This has to be filled in.' : undefined;
  if (field.form === 'number' && !Number.isFinite(Number(text))) return 'Enter a number.';
  if (field.form === 'json') return jsonOf(text) === undefined ? 'Enter JSON, such as {"team": "web"}.' : undefined;
  if (field.pattern === undefined || isOfPattern(field.pattern, text)) return undefined;
  return field.pattern.includes('[Hh][Tt][Tt][Pp]')
    ? 'Enter an address that begins with https:// and holds no name, password or question mark.'
    : 'This is not of the form that the source needs.';
}

/** The service checks it again. A pattern that this browser cannot read checks nothing here. */
function isOfPattern(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function valueOf({ form }: SettingField, text: string): unknown {
  if (form === 'number') return Number(text);
  if (form === 'json') return jsonOf(text);
  return form === 'choice' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

/** The settings for what is typed. What is empty is left out. */
export function settingsOf(fields: readonly SettingField[], typed: Typed): Settings {
  const filled = fields.flatMap((field) => {
    const text = (typed[field.name] ?? '').trim();
    return text === '' || !isWanted(field, typed) ? [] : [[field.name, valueOf(field, text)] as const];
  });
  return Object.fromEntries(filled);
}

/** What the fields show for settings that are there already. */
export function typedOf(settings: Settings): Typed {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    ]),
  );
}

const lastPart = (text: string): string => text.split(/[/:\\]/).findLast((part) => part.trim() !== '') ?? '';

/** A name for the mirror, from where its source is. '' where nothing is known yet. */
export function suggestName(kind: Kind, typed: Typed): string {
  const named = (name: string): string => (typed[name] ?? '').trim();
  const part = {
    git: lastPart(named('folder')) || lastPart(named('url')).replace(/\.git$/i, ''),
    webdav: lastPart(named('folder')) || lastPart(named('url')),
    s3: lastPart(named('prefix')) || named('bucket'),
    folder: lastPart(named('path')),
    program: named('program'),
  }[kind];
  return part.slice(0, 100);
}
