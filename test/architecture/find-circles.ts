import type { Module } from './read-module.js';
import { resolveImport } from './rooms.js';

/**
 * Modules that import each other, directly or through others, also for their types alone. They are the strongly
 * connected components of the imports (Tarjan 1972), each in the order of its paths.
 */
export function findCircles(modules: readonly Module[]): string[][] {
  const importsOf = new Map(
    modules.map(({ path, imports }) => [
      path,
      imports.filter(({ text }) => text.startsWith('.')).map(({ text }) => resolveImport(path, text)),
    ]),
  );
  const numbers = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    const number = numbers.size;
    numbers.set(path, number);
    lowest.set(path, number);
    open.push(path);
    for (const target of importsOf.get(path) ?? []) {
      if (!importsOf.has(target)) continue;
      if (!numbers.has(target)) visit(target);
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(path) !== number) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1 || importsOf.get(path)?.includes(path) === true) circles.push(circle.sort());
  };
  for (const { path } of modules) if (!numbers.has(path)) visit(path);
  return circles;
}
