// Writes the types of a described API: node bin/describe-api.mjs DESCRIPTION FILE. It is a process of its own,
// because the generator needs the compiler's API. TypeScript 7 has none, so this process gives it TypeScript 5.
import { writeFileSync } from 'node:fs';
import { register } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const resolver = `export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript-5' : name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolver)}`, import.meta.url);
const { default: generateTypes, astToString } = await import('openapi-typescript');
const [description = '', file = ''] = process.argv.slice(2);
writeFileSync(file, astToString(await generateTypes(pathToFileURL(path.resolve(description)))));
