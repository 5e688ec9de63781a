// Parses the descriptions of the APIs, schema/*.yaml, into dist/parsed/*.yaml.json, so that a start need not do it. Each
// file holds the text that it was made from, and the service takes no file of another text. Does nothing if nothing
// changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

/** @param root the folder of the checkout */
export function buildDescriptions(root) {
  const [source, target] = [path.join(root, 'schema'), path.join(root, 'dist', 'parsed')];
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(source).filter((each) => each.endsWith('.yaml'))) {
    const text = readFileSync(path.join(source, name), 'utf8');
    const made = path.join(target, `${name}.json`);
    if (existsSync(made) && JSON.parse(readFileSync(made, 'utf8')).text === text) continue;
    writeFileSync(made, JSON.stringify({ text, document: parse(text, { maxAliasCount: -1 }) }));
  }
}
