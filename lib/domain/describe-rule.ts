/** Names and values of callers are cut to so many characters in messages. */
const maxShown = 100;
/** A longer list of allowed values is cut. */
const maxListed = 40;

/** Forms of values, in words for the right one. */
const forms: Readonly<Record<string, string>> = {
  'date-time': 'a date and time such as 2026-11-21T14:00:00Z',
  uri: 'an address such as https://example.org',
  int32: 'a whole number',
  int64: 'a whole number',
};

const types: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** The rules of JSON Schema as Ajv words them, and the same in plain words. */
const rules: readonly (readonly [RegExp, (...parts: readonly string[]) => string])[] = [
  [/^must be equal to one of the allowed values(?:: (.+))?$/su, (values) => `must be one of ${listed(values)}`],
  [/^must NOT have fewer than 1 characters$/, () => 'must not be empty'],
  [/^must NOT have fewer than (\d+) (\w+)$/, (count, what) => `must have at least ${counted(count, what)}`],
  [/^must NOT have more than 0 (\w+)$/, () => 'must be empty'],
  [/^must NOT have more than (\d+) (\w+)$/, (count, what) => `must have at most ${counted(count, what)}`],
  [/^must NOT have duplicate items/, () => 'must not have an item twice'],
  [/^must be >= (.+)$/, (least) => `must be at least ${least}`],
  [/^must be <= (.+)$/, (most) => `must be at most ${most}`],
  [/^must be > (.+)$/, (below) => `must be more than ${below}`],
  [/^must be < (.+)$/, (above) => `must be less than ${above}`],
  [/^must match format "(.+)"$/, (form) => `must be ${forms[form] ?? 'of the form that it must have'}`],
  [/^must match pattern/, () => 'is not of the form that it must have'],
  [/^must be equal to constant$/, () => 'is not the one value that it may have'],
  [/^must match (?:exactly one schema in oneOf|a schema in anyOf)$/, () => 'has none of the forms that it may have'],
  [/^must NOT be valid$/, () => 'may not be like this'],
  [
    /^must be ([a-z]+(?:, ?[a-z]+)*)$/,
    (names) => `must be ${either(names.split(/, ?/).map((name) => types[name] ?? name))}`,
  ],
];

/**
 * A validator's error as the rest of a sentence that begins with the field's name: "must have at least 1 item". An
 * error without words of its own stays as it is.
 * @param rule the validator's message
 * @param sent the value, where it may be shown; only an unknown one of a list of allowed values is
 */
export function describeRule(rule: string, sent?: unknown): string {
  for (const [pattern, describe] of rules) {
    const match = pattern.exec(rule);
    if (match === null) continue;
    const words = describe(...match.slice(1).map((part: string | undefined) => part ?? ''));
    return typeof sent === 'string' && words.startsWith('must be one of') ? `is "${cut(sent)}", and ${words}` : words;
  }
  return rule;
}

function listed(values: string | undefined): string {
  const all = (values ?? '').split(', ').filter((value) => value !== '');
  if (all.length === 0) return 'the allowed values';
  return all.length > maxListed ? `${all.slice(0, maxListed).join(', ')} and others` : all.join(', ');
}

/** `1 item`, `2 items`; fields of an object in place of properties. */
function counted(count = '', what = ''): string {
  const plural = what === 'properties' ? 'fields' : what;
  return `${count} ${count === '1' ? plural.replace(/s$/, '') : plural}`;
}

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown).toWellFormed()}…` : text;
}
