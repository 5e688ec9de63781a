// Writes what the build makes of the program's own tables into lib/docs, so that the pages can be read in the
// repository too: commands, settings, tools, reasons, and the list of operations. The built manual makes them anew.
// Needs the compiled program.
//
// Usage: node bin/write-made.mjs [--check], which writes nothing and fails where a page is not what the program says
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { makeParts } from './build-manual.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const pages = ['commands', 'settings', 'tools', 'reasons', 'rest-reference'];
const isCheck = process.argv.includes('--check');

const description = parse(readFileSync(path.join(root, 'schema', 'openapi.yaml'), 'utf8'), { maxAliasCount: -1 });
const parts = await makeParts(description);
// The pages of single operations are in the built manual alone.
const withoutBuilt = (part) =>
  part.replaceAll(/\[([^[\]\n]{1,200})\]\(rest-[a-z-]{1,40}\.md#[a-z0-9-]{1,100}\)/g, '$1');
// Prettier would widen each table to its longest cell, and a change of one would change all lines.
const wrap = (part) => `<!-- prettier-ignore-start -->\n\n${withoutBuilt(part).trim()}\n\n<!-- prettier-ignore-end -->`;
const outdated = pages.filter((name) => {
  const file = path.join(root, 'lib', 'docs', `${name}.md`);
  const text = readFileSync(file, 'utf8');
  const made = text.replaceAll(
    /(<!-- made: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_, begin, part, end) => `${begin}\n${wrap(parts[part])}\n${end}`,
  );
  if (made !== text && !isCheck) writeFileSync(file, made);
  return made !== text;
});
if (isCheck && outdated.length > 0) {
  const names = outdated.map((name) => `lib/docs/${name}.md`).join(', ');
  console.error(`${names}: not what the program says. Run node bin/write-made.mjs to renew it.`);
  process.exitCode = 1;
}
