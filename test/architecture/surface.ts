import type { Module } from './read-module.js';
import { resolveImport, roomOf } from './rooms.js';

/** The files of each room that other rooms may import, from the "Surface: " lines of lib/README.md. */
export type Surfaces = ReadonlyMap<string, { readonly isOpen: boolean; readonly files: readonly string[] }>;

/** Reads the surfaces out of the code map. A name with `/*` at its end stands for all files of that folder. */
export function readSurfaces(map: string): Surfaces {
  return new Map(
    map
      .split(/^## /m)
      .slice(1)
      .flatMap((section) => {
        const room = /^[\w-]+/.exec(section)?.[0] ?? '';
        const line = /^Surface: (.*)$/m.exec(section)?.[1];
        if (line === undefined) return [];
        const files = [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => `lib/${room}/${name}`);
        return [[room, { isOpen: line === 'every file.', files }] as const];
      }),
  );
}

/** Imports from other rooms' insides, and names on a surface without an import from another room. */
export function judgeSurfaces(surfaces: Surfaces, modules: readonly Module[]): string[] {
  const used = new Set<string>();
  const faults: string[] = [];
  for (const module of modules) {
    for (const { text, line } of module.imports) {
      if (!text.startsWith('.')) continue;
      const target = resolveImport(module.path, text);
      const room = roomOf(target);
      if (room === undefined || room === roomOf(module.path)) continue;
      const surface = surfaces.get(room);
      if (surface === undefined || surface.isOpen) continue;
      const named = surface.files.find((file) => matches(file, target));
      if (named === undefined) faults.push(`${module.path}:${line} imports ${target}, which is inside lib/${room}`);
      else used.add(named);
    }
  }
  const stale = [...surfaces.values()].flatMap(({ files }) => files.filter((file) => !used.has(file)));
  return [...faults, ...stale.map((file) => `${file} is on the surface of its room, but no other room imports it`)];
}

function matches(named: string, file: string): boolean {
  return named.endsWith('/*') ? file.startsWith(named.slice(0, -1)) : named === file;
}
