/** The picture at the top of the README: a real terminal session, drawn as SVG. */
import { makeFolder, ask, runProgram, serve } from '../support/processes/run-program.js';

/** One line of the terminal, and how it is shown. */
export interface Line {
  readonly kind: 'command' | 'output' | 'added' | 'removed' | 'good';
  readonly text: string;
}

/** The commands in the picture. */
const shown = [
  ['document', 'history', 'handbook/travel.md'],
  ['document', 'diff', 'handbook/travel.md'],
  ['readers', 'handbook/travel.md'],
  ['verify'],
];

const first = '# Travel policy\n\nBook trains for trips under four hours.\nHotels: ask first.\n';
const second = first.replace('ask first', 'up to 140 EUR a night');

function kindOf(line: string): Line['kind'] {
  if (line.startsWith('+')) return 'added';
  if (line.startsWith('-')) return 'removed';
  return line.includes(': sound; ') ? 'good' : 'output';
}

/** Has a person write a document and an agent change it, then runs the commands of the picture. */
export async function runTour(): Promise<readonly Line[]> {
  const data = ['--data', await makeFolder()];
  const { key } = await ask<{ key: string }>('init', '--workspace', 'main', '--admin', 'Ada', ...data);
  const agent = await ask<{ id: string }>('principal', 'add', 'Travel desk', '--kind', 'agent', ...data);
  const grant = ['--scope-type', 'folder', '--scope-id', 'handbook', '--subject', agent.id, '--role', 'editor'];
  await ask('grant', 'add', ...grant, ...data);
  const minted = await ask<{ key: string }>('key', 'mint', '--principal', agent.id, '--rest', ...data);

  const server = await serve(data[1] ?? '');
  try {
    const send = async (
      method: string,
      path: string,
      secret: string,
      headers: Readonly<Record<string, string>>,
      body: object,
    ): Promise<void> => {
      const answer = await fetch(`${server.url}/v1/documents${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(await answer.text());
    };
    const location = 'handbook/travel.md';
    const created = { location, content: first, message: 'First draft' };
    await send('POST', '', key, { 'idempotency-key': 'first' }, created);
    const changed = { content: second, message: 'Set a limit' };
    await send('PUT', `/${location}`, minted.key, { 'if-match': '*' }, changed);

    const lines: Line[] = [];
    for (const parameters of shown) {
      lines.push({ kind: 'command', text: `cartulary ${parameters.join(' ')}` });
      const { code, stdout, stderr } = await runProgram([...parameters, ...data]);
      if (code !== 0) throw new Error(stderr);
      lines.push(
        ...stdout
          .trimEnd()
          .split('\n')
          .map((text) => ({ kind: kindOf(text), text: text.trimEnd() })),
      );
    }
    return lines;
  } finally {
    await server.stop();
  }
}

const colours: Record<Line['kind'], string> = {
  command: '#ffffff',
  output: '#b9c4d0',
  added: '#8fd694',
  removed: '#f2938c',
  good: '#8fd694',
};

/** Blanks become no-break spaces, because SVG shows several blanks as one. */
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(' ', '\u00a0');

/** Draws lines of a terminal. Each character is 8 wide in any font of the reader. */
export function drawTerminal(lines: readonly Line[]): string {
  const [letter, step, margin, bar] = [8, 20, 24, 40];
  const prompt = (line: Line): string => (line.kind === 'command' ? `$ ${line.text}` : line.text);
  const width = Math.max(...lines.map((line) => prompt(line).length)) * letter + 2 * margin;
  const height = lines.length * step + bar + margin;
  const texts = lines.flatMap((line, index) => {
    const text = prompt(line);
    if (text === '') return [];
    const place = `x="${margin}" y="${bar + 14 + index * step}" textLength="${text.length * letter}"`;
    return [`  <text ${place} fill="${colours[line.kind]}">${escape(text)}</text>`];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `  <rect width="${width}" height="${height}" rx="8" fill="#1c2128" />`,
    ...['#f2938c', '#e8c66a', '#8fd694'].map(
      (colour, index) => `  <circle cx="${margin + 6 + index * 20}" cy="20" r="6" fill="${colour}" />`,
    ),
    '  <g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
    ...texts,
    '  </g>',
    '</svg>',
    '',
  ].join('\n');
}
