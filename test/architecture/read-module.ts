/** One source file as the laws see it. */
export interface Module {
  /** From the repository's root, with forward slashes: `lib/git/tree.ts`. */
  path: string;
  text: string;
  /** The text, same length and lines, with comments and the insides of strings and regexps blanked. */
  code: string;
  /** What stands between quotes, templates included, with its line. */
  strings: Piece[];
  /** Regular expressions that are written out, without their slashes, with their flags and lines. */
  regexps: (Piece & { readonly flags: string })[];
  /** What is imported, re-exported, required or imported dynamically by a literal, with its line. */
  imports: Piece[];
  /** Lines of dynamic imports whose target no reader can know. */
  unreadableImports: number[];
}

export interface Piece {
  text: string;
  line: number;
}

interface Span {
  kind: 'comment' | 'string' | 'regexp';
  start: number;
  end: number;
}

/** After these a slash begins a regexp; after a name, a number or a closing bracket it divides. */
const beforeRegexp =
  /(?:^|[=(,:;!&|?{}[\n+\-*%~<>^]|\b(?:return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield))\s*$/;

const endOfQuoted = (text: string, from: number, quote: string): number => {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote || text[at] === '\n') return at;
  }
  return text.length;
};

const endOfRegexp = (text: string, from: number): number => {
  let isInClass = false;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '\n') return at;
    else if (character === '[') isInClass = true;
    else if (character === ']') isInClass = false;
    else if (character === '/' && !isInClass) return at;
  }
  return text.length;
};

/** The spans of `text` that are not code, insides only for strings and regexps. */
function findSpans(text: string): Span[] {
  const spans: Span[] = [];
  // One entry per template whose `${` is open: how many braces are open inside it.
  const templates: number[] = [];
  let at = 0;
  const add = (kind: Span['kind'], start: number, end: number): void => {
    spans.push({ kind, start, end });
    at = end;
  };
  const readTemplate = (): void => {
    const start = at;
    for (; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1;
      else if (text[at] === '`' || (text[at] === '$' && text[at + 1] === '{')) break;
    }
    if (text[at] === '$') templates.push(0);
    add('string', start, at);
    at += text[at] === '$' ? 2 : 1;
  };
  while (at < text.length) {
    const character = text[at];
    const next = text[at + 1];
    if ((character === '/' && next === '/') || (at === 0 && text.startsWith('#!'))) {
      const end = text.indexOf('\n', at);
      add('comment', at, end < 0 ? text.length : end);
    } else if (character === '/' && next === '*') {
      const end = text.indexOf('*/', at + 2);
      add('comment', at, end < 0 ? text.length : end + 2);
    } else if (character === '"' || character === "'") {
      add('string', at + 1, endOfQuoted(text, at + 1, character));
      at += 1;
    } else if (character === '`') {
      at += 1;
      readTemplate();
    } else if (character === '/' && beforeRegexp.test(text.slice(Math.max(0, at - 40), at))) {
      add('regexp', at + 1, endOfRegexp(text, at + 1));
      at += 1;
    } else if (character === '}' && templates.at(-1) === 0) {
      templates.pop();
      at += 1;
      readTemplate();
    } else {
      if (templates.length > 0 && character === '{') templates.push((templates.pop() ?? 0) + 1);
      if (templates.length > 0 && character === '}') templates.push((templates.pop() ?? 0) - 1);
      at += 1;
    }
  }
  return spans;
}

/** Where a target's opening quote is expected: static, re-exporting, bare, dynamic and CommonJS forms. */
const importForms =
  /(?<![.\w$])(?:(?:import|export)\b[^;'"`=]*?\bfrom\s*|import\s*|import\s*\(\s*|require(?:\.resolve)?\s*\(\s*)(?=['"`])/g;
const unreadableForm = /(?<![.\w$])import\s*\(\s*(?!['"`\s])/g;

/**
 * Reads what the laws judge out of one source text. It is no TypeScript parser: it knows comments,
 * strings, templates and regexps, and the forms in which a module can be named, which is all that
 * the laws ask for.
 */
export function readModule(path: string, text: string): Module {
  const spans = findSpans(text);
  const lineAt = (at: number): number => text.slice(0, at).split('\n').length;
  const blank = (piece: string): string => piece.replaceAll(/[^\n]/g, ' ');
  let code = '';
  for (const { start, end } of spans) {
    code += text.slice(code.length, start) + blank(text.slice(start, end));
  }
  code += text.slice(code.length);

  const strings = spans.filter(({ kind }) => kind === 'string');
  const imports = [...code.matchAll(importForms)].map((match) => {
    const start = match.index + match[0].length + 1;
    const target = strings.find((span) => span.start === start);
    if (target === undefined) throw new Error(`${path}:${lineAt(start)}: an import whose target is not a string`);
    return { text: text.slice(target.start, target.end), line: lineAt(start) };
  });
  return {
    path,
    text,
    code,
    strings: strings.map(({ start, end }) => ({ text: text.slice(start, end), line: lineAt(start) })),
    regexps: spans
      .filter(({ kind }) => kind === 'regexp')
      .map(({ start, end }) => ({
        text: text.slice(start, end),
        flags: /^[a-z]*/.exec(text.slice(end + 1))?.[0] ?? '',
        line: lineAt(start),
      })),
    imports,
    unreadableImports: [...code.matchAll(unreadableForm)].map((match) => lineAt(match.index)),
  };
}
