// Pages of the manual that are made from what the service itself reads: its reasons, settings, tools and commands.

/** A text in a cell of a table. */
export const cell = (text) =>
  String(text ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('|', String.raw`\|`);

/** @param rows of cells that are Markdown already */
export const table = (heads, rows) =>
  [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (text) => `\`${text}\``;
const list = (values) => values.map((value) => code(value)).join(', ');

const meetings = {
  rest: 'REST',
  mcp: 'MCP',
  command: 'command line',
  browser: 'browser',
  git: 'git',
};

const codes = {
  INVALID_REQUEST: 'The request cannot be done as it is. Change it before sending it again.',
  NOT_FOUND: 'It is absent, or out of reach of the key.',
  CONFLICT: 'It does not fit what is there now. Read again, then decide.',
  RATE_LIMITED: 'Too many requests. Wait as long as the answer says.',
  UNAVAILABLE: 'It cannot be done just now. Wait as long as the answer says.',
  INTERNAL: 'The service failed.',
  UNAUTHENTICATED: 'The key or the token is missing, wrong, revoked or expired.',
};

/** @param reasons of lib/domain/reason.ts */
export function makeReasons(reasons) {
  const entries = Object.entries(reasons);
  return [...new Set(entries.map(([, { code: each }]) => each))]
    .map((each) => {
      const rows = entries
        .filter(([, { code: own }]) => own === each)
        .map(([name, { means, at }]) => [code(name), cell(means), at.map((face) => meetings[face]).join(', ')]);
      return `## ${each}\n\n${codes[each] ?? ''}\n\n${table(['reason', 'meaning', 'met at'], rows)}`;
    })
    .join('\n\n');
}

function shapeOf({ type, enum: values, minimum, maximum, items, anyOf, format }) {
  if (values !== undefined) return list(values);
  if (anyOf !== undefined) return anyOf.map(shapeOf).join(', or ');
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') return `list of ${shapeOf(items)}`;
  const bounds = minimum !== undefined && maximum !== undefined ? `, ${minimum} to ${maximum}` : '';
  return `${format === undefined ? (type === 'string' ? 'text' : type) : format.replaceAll('-', ' ')}${bounds}`;
}

const asDefault = (value) => {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return 'none';
  return code(value);
};

/** @param schema of schema/config.json */
export function makeSettings({ properties }) {
  const rows = Object.entries(properties)
    .filter(([name]) => !name.startsWith('$'))
    .map(([name, setting]) => [
      `${code(name)}, ${code(`CARTULARY_${name.toUpperCase()}`)}`,
      cell(setting.description),
      cell(shapeOf(setting)),
      asDefault(setting.default),
    ]);
  return table(['setting, and its environment variable', 'meaning', 'form', 'default'], rows);
}

/** The arguments of a tool, and below a list of objects their members: `edits[].op`. */
function listArguments({ properties = {}, required = [] }, before = '') {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [
      code(before + name),
      cell(shapeOf(schema)),
      required.includes(name) ? 'yes' : 'no',
      `${cell(schema.description)}${schema.default === undefined ? '' : ` Default: ${code(schema.default)}.`}`,
    ],
    ...(schema.items?.properties === undefined ? [] : listArguments(schema.items, `${before}${name}[].`)),
  ]);
}

function describeTool({ name, title, description, annotations, inputSchema }) {
  const rows = listArguments(inputSchema);
  const kind = annotations?.readOnlyHint === true ? 'It changes nothing.' : 'It can change something.';
  const args = rows.length === 0 ? '' : `\n\n${table(['argument', 'form', 'required', 'meaning'], rows)}`;
  return `## ${name}\n\n**${title}.** ${cell(description)} ${kind}${args}`;
}

/** @param tools the files of schema/mcp but for the one of errors */
export const makeTools = (tools) => tools.map(describeTool).join('\n\n');

function helpOf(command) {
  let help = '';
  command.configureOutput({
    getOutHelpWidth: () => 96,
    getOutHasColors: () => false,
    writeOut: (text) => (help += text),
  });
  command.outputHelp();
  return help.trimEnd();
}

function listLeaves(command, words = []) {
  return command.commands.flatMap((each) => {
    const own = [...words, each.name()];
    return each.commands.length > 0 ? listLeaves(each, own) : [{ words: own.join(' '), command: each }];
  });
}

/** @param program of commander, as bin/program.ts makes it */
export function makeCommands(program) {
  return listLeaves(program)
    .map(({ words, command }) => `## ${words}\n\n\`\`\`text\n${helpOf(command)}\n\`\`\``)
    .join('\n\n');
}
