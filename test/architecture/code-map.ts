/** Sections of the first part, and of rooms that are no folder of lib. */
const besides: readonly string[] = ['The', 'Follow', 'Terms', 'bin', 'config'];

/** Entries that lib/README.md lacks or has too many, given the folders in lib/. */
export function judgeCodeMap(map: string, folders: readonly string[]): string[] {
  const sections = new Map(
    map
      .split(/^## /m)
      .slice(1)
      .map((section) => [/^[\w-]+/.exec(section)?.[0] ?? '', section] as const),
  );
  const missing = folders.flatMap((folder) => {
    const section = sections.get(folder);
    if (section === undefined) return [`lib/README.md has no section "## ${folder}"`];
    return /^Invariant: \S/m.test(section)
      ? []
      : [`the section "## ${folder}" of lib/README.md has no "Invariant: " line`];
  });
  const leftOver = [...sections.keys()]
    .filter((name) => !folders.includes(name) && !besides.includes(name))
    .map((name) => `lib/README.md has a section "## ${name}", but there is no lib/${name}`);
  return [...missing, ...leftOver].map(
    (fault) =>
      `${fault}\n  because the map is the first thing that a new reader opens\n  remedy: edit it in the commit that makes or removes a folder`,
  );
}
