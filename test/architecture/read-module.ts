import { parseSync, Visitor } from 'oxc-parser';

/** One source file as the laws see it. */
export interface Module {
  /** From the repository's root, with forward slashes: `lib/git/tree.ts`. */
  path: string;
  text: string;
  /** The text, same length and lines, with comments and the insides of strings and regexps blanked. */
  code: string;
  /** Quoted texts, templates included, with their lines. */
  strings: Piece[];
  /** Regular expression literals without their slashes, with their flags and lines. */
  regexps: (Piece & { readonly flags: string })[];
  /** Modules imported, re-exported, required or imported dynamically by a literal, with their lines. */
  imports: Piece[];
  /** Lines of dynamic imports whose target is not a literal. */
  unreadableImports: number[];
}

export interface Piece {
  text: string;
  line: number;
}

interface Span {
  start: number;
  end: number;
}

/** A node that names a module, with the members read here. */
interface Target extends Span {
  type: string;
  value?: unknown;
  quasis?: unknown[];
}

/** Reads the parts of one source text that the laws judge. @throws Error for a text outside TypeScript's grammar */
export function readModule(path: string, text: string): Module {
  const { program, comments, errors } = parseSync(path, text, { sourceType: 'module', preserveParens: false });
  if (errors.length > 0) throw new Error(`${path}: ${errors.map(({ message }) => message).join('; ')}`);
  const lines = text.split('\n');
  const starts = lines.map(() => 0);
  for (let line = 1; line < lines.length; line += 1) {
    starts[line] = (starts[line - 1] ?? 0) + (lines[line - 1] ?? '').length + 1;
  }
  const lineAt = (at: number): number => starts.findLastIndex((start) => start <= at) + 1;
  const pieceAt = ({ start, end }: Span): Piece => ({ text: text.slice(start, end), line: lineAt(start) });

  const strings: Span[] = [];
  const regexps: (Span & { readonly flags: string })[] = [];
  const targets: Span[] = [];
  const unreadable: number[] = [];
  const addTarget = (node: Target | null | undefined, isRequired = true): void => {
    if (node === null || node === undefined) return;
    const isText = typeof node.value === 'string' || (node.type === 'TemplateLiteral' && node.quasis?.length === 1);
    if (isText) targets.push({ start: node.start + 1, end: node.end - 1 });
    else if (isRequired) unreadable.push(node.start);
  };
  new Visitor({
    Literal(node) {
      const { start, end } = node;
      if (typeof node.value === 'string') strings.push({ start: start + 1, end: end - 1 });
      else if ('regex' in node) {
        const { flags } = node.regex;
        regexps.push({ start: start + 1, end: end - 1 - flags.length, flags });
      }
    },
    TemplateElement({ start, value }) {
      const from = /[`}]/.test(text[start] ?? '') ? start + 1 : start;
      strings.push({ start: from, end: from + value.raw.length });
    },
    ImportDeclaration: ({ source }) => addTarget(source),
    ExportNamedDeclaration: ({ source }) => addTarget(source),
    ExportAllDeclaration: ({ source }) => addTarget(source),
    ImportExpression: ({ source }) => addTarget(source),
    TSImportType: ({ source }) => addTarget(source),
    TSExternalModuleReference: ({ expression }) => addTarget(expression),
    CallExpression({ callee, arguments: [first] }) {
      const called = text.slice(callee.start, callee.end);
      if (called === 'require' || called === 'require.resolve') addTarget(first, false);
    },
  }).visit(program);

  const inOrder = <Each extends Span>(spans: Each[]): Each[] => spans.toSorted((a, b) => a.start - b.start);
  const comment = text.startsWith('#!') ? [{ start: 0, end: (lines[0] ?? '').length }, ...comments] : comments;
  let code = '';
  for (const { start, end } of inOrder<Span>([...comment, ...strings, ...regexps])) {
    code += text.slice(code.length, start) + text.slice(start, end).replaceAll(/[^\n]/g, ' ');
  }
  code += text.slice(code.length);
  return {
    path,
    text,
    code,
    strings: inOrder(strings).map(pieceAt),
    regexps: inOrder(regexps).map((span) => ({ ...pieceAt(span), flags: span.flags })),
    imports: inOrder(targets).map(pieceAt),
    unreadableImports: unreadable.map(lineAt),
  };
}
