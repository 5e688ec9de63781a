// The reference of the REST API, made from schema/openapi.yaml: a page for each tag, and one for all objects.
import { cell, table } from './made-tables.mjs';
import { addressOf } from './markdown.mjs';

const methods = ['get', 'head', 'post', 'put', 'delete'];
const objects = 'rest-objects.md';
const code = (text) => `\`${text}\``;

const nameOf = (ref) => ref.split('/').at(-1);
const pageOf = (tag) => `rest-${addressOf(tag)}`;

/** What a reference names; anything else as it is. */
function resolve(description, value) {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((inner, key) => inner[key.replaceAll('~1', '/')], description);
}

/** The form of a value, in words, with links to the objects. */
function formOf(schema) {
  if (schema === undefined || schema === true) return 'anything';
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](${objects}#${addressOf(nameOf(schema.$ref))})`;
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return either.map(formOf).join(' or ');
  if (schema.allOf !== undefined) return schema.allOf.map(formOf).join(' with ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.type === 'array') return `list of ${formOf(schema.items)}`;
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  return [schema.type ?? 'anything', schema.format && `(${schema.format})`].filter(Boolean).join(' ');
}

function boundsOf({ minimum, maximum, minLength, maxLength, minItems, maxItems, pattern }) {
  const range = (low, high, unit) => {
    if (low === undefined && high === undefined) return [];
    if (high === undefined) return low > 1 ? [`at least ${low}${unit}`] : [];
    return [low === undefined || low <= 1 ? `at most ${high}${unit}` : `${low} to ${high}${unit}`];
  };
  return [
    ...(minimum === undefined || maximum === undefined ? range(minimum, maximum, '') : [`${minimum} to ${maximum}`]),
    ...range(minLength, maxLength, ' characters'),
    ...range(minItems, maxItems, ' items'),
    ...(pattern === undefined ? [] : [`of the form ${code(pattern)}`]),
  ].join(', ');
}

const meaningOf = (schema) => {
  const bounds = boundsOf(schema);
  const parts = [schema.description, bounds && `${bounds[0].toUpperCase()}${bounds.slice(1)}.`];
  if (schema.default !== undefined) parts.push(`Default: ${code(schema.default)}.`);
  return cell(parts.filter(Boolean).join(' '));
};

/** The members of an object, those of inner objects with their path. */
function listMembers({ properties = {}, required = [] }, before = '') {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [code(before + name), cell(formOf(schema)), required.includes(name) ? 'yes' : 'no', meaningOf(schema)],
    ...(schema.properties === undefined ? [] : listMembers(schema, `${before}${name}.`)),
  ]);
}

const membersOf = (schema) => {
  const rows = listMembers(schema);
  return rows.length === 0 ? '' : table(['member', 'form', 'required', 'meaning'], rows);
};

function describeParameters(parameters) {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description, schema = {} }) => [
    code(name),
    place,
    required === true ? 'yes' : 'no',
    meaningOf({ ...schema, description: [description, schema.$ref && formOf(schema)].filter(Boolean).join(' ') }),
  ]);
  return table(['parameter', 'in', 'required', 'meaning'], rows);
}

const quote = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The body of the example request: JSON where the operation takes it. */
function exampleBody(description, requestBody) {
  if (requestBody === undefined) return [];
  const [type, content] = Object.entries(requestBody.content)[0];
  const { value } = resolve(description, Object.values(content.examples)[0]);
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return [`-H ${quote(`Content-Type: ${type}`)}`, `${type.includes('json') ? '-d' : '--data-binary'} ${quote(text)}`];
}

/** A request of curl with what the operation requires. The README's tour sets URL and KEY. */
export function exampleOf(description, path, method, operation, parameters) {
  // A raw upload has to name a version or say that it creates: the example creates.
  const wanted = parameters.filter(
    ({ name, required, example }) => required === true || (name === 'If-None-Match' && example === '*'),
  );
  const fill = (place, escape) => wanted.filter((each) => each.in === place).map((each) => [each.name, escape(each)]);
  const inPath = Object.fromEntries(fill('path', ({ example }) => encodeURI(example)));
  const query = fill('query', ({ example }) => encodeURIComponent(example)).map((pair) => pair.join('='));
  const address = `$URL${path.replaceAll(/\{(\w+)\}/g, (_, name) => inPath[name])}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const isOpen = (operation.security ?? description.security).length === 0;
  const answer = resolve(description, Object.values(operation.responses)[0]).content ?? {};
  const isFile = Object.keys(answer).some((type) => /zip|octet-stream|\*/.test(type));
  const flag = method === 'get' ? '' : method === 'head' ? ' -I' : ` -X ${method.toUpperCase()}`;
  return [
    `curl -sS${flag} "${address}"`,
    ...(isOpen ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...fill('header', ({ example }) => example).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...exampleBody(description, operation.requestBody),
    ...(isFile ? ['-o answer.bin'] : []),
  ].join(' \\\n  ');
}

function reasonsIn(description, { content = {} }) {
  const examples = Object.values(content).flatMap(({ examples: each }) => Object.values(each ?? {}));
  const found = examples.map((each) => resolve(description, each).value?.error?.details?.reason);
  return [...new Set(found.filter((reason) => reason !== undefined))].map(code).join(', ');
}

function describeAnswers(description, { responses }) {
  const rows = Object.entries(responses).map(([status, each]) => {
    const response = resolve(description, each);
    const forms = Object.entries(response.content ?? {}).map(([type, { schema }]) =>
      type.includes('json') && schema !== undefined ? formOf(schema) : code(type),
    );
    return [status, cell(response.description), forms.join(', '), reasonsIn(description, response)];
  });
  return table(['status', 'meaning', 'content', 'reasons, among others'], rows);
}

function describeOperation(description, path, method, item) {
  const operation = item[method];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((each) =>
    resolve(description, each),
  );
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(([type, { schema }]) => {
    const shape = resolve(description, schema);
    const about = `The body, \`${type}\`: ${formOf(schema)}.`;
    return [about, membersOf(shape)].filter(Boolean).join('\n\n');
  });
  return [
    `## ${operation.summary}`,
    `\`${method.toUpperCase()} ${path}\``,
    (operation.description ?? '').trim(),
    describeParameters(parameters),
    ...bodies,
    `\`\`\`sh\n${exampleOf(description, path, method, operation, parameters)}\n\`\`\``,
    describeAnswers(description, operation),
  ]
    .filter(Boolean)
    .join('\n\n');
}

const listOperations = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method] !== undefined).map((method) => ({ path, method, item })),
  );

function makeObjects(description) {
  const parts = Object.entries(description.components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => {
      const form = schema.type === 'object' && schema.properties !== undefined ? '' : `Form: ${formOf(schema)}. `;
      const bounds = boundsOf(schema);
      const more = bounds === '' ? '' : `${bounds[0].toUpperCase()}${bounds.slice(1)}.`;
      return [`## ${name}`, (schema.description ?? '').trim(), `${form}${more}`.trim(), membersOf(schema)]
        .filter(Boolean)
        .join('\n\n');
    });
  const about = 'The objects that requests and answers hold. [REST reference](rest-reference.md) lists the operations.';
  return `# REST: objects\n\n${about}\n\n${parts.join('\n\n')}\n`;
}

/** The list of all operations, for the reference's first page. */
export function makeOperationList(description) {
  return description.tags
    .map(({ name, description: about }) => {
      const rows = listOperations(description)
        .filter(({ item, method }) => item[method].tags[0] === name)
        .map(({ path, method, item }) => {
          const { summary } = item[method];
          return [
            code(`${method.toUpperCase()} ${path}`),
            `[${cell(summary)}](${pageOf(name)}.md#${addressOf(summary)})`,
          ];
        });
      return `## ${name}\n\n${about.trim()}\n\n${table(['request', 'what it does'], rows)}`;
    })
    .join('\n\n');
}

/** @returns the pages of the reference behind its first one: name and Markdown */
export function makeRestPages(description) {
  const pages = description.tags.map(({ name, description: about }) => {
    const operations = listOperations(description)
      .filter(({ item, method }) => item[method].tags[0] === name)
      .map(({ path, method, item }) => describeOperation(description, path, method, item));
    const intro = `${about.trim()}\n\nPart of the [REST reference](rest-reference.md).`;
    return { name: pageOf(name), text: `# REST: ${name}\n\n${intro}\n\n${operations.join('\n\n')}\n` };
  });
  return [...pages, { name: 'rest-objects', text: makeObjects(description) }];
}
